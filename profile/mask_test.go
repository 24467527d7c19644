package profile

import "testing"

func TestMaskText(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"secret":                      Mask,
		"${TOKEN}":                    "${TOKEN}",
		"${TOKEN:-}":                  "${TOKEN:-}",
		"${TOKEN:-secret}":            "${TOKEN:-" + Mask + "}",
		"Bearer ${TOKEN-secret}":      "Bearer ${TOKEN-" + Mask + "}",
		"${TOKEN:+secret}":            "${TOKEN:+" + Mask + "}",
		"${TOKEN:-a${B}}":             Mask,
		"Bearer ${TOKEN}":             "Bearer ${TOKEN}",
		"secret ${TOKEN}":             Mask + "${TOKEN}",
		"https://${HOST}/secret":      Mask + "${HOST}" + Mask,
		"https://h/secret?k=${TOKEN}": "https://h/" + Mask + "${TOKEN}",
		"$${TOKEN}":                   Mask,
		"sk-secret":                   Mask,
		"Bearer secret":               Mask,
		"https://evil.example":        "https://evil.example",
		"https://evil.example/secret": "https://evil.example/" + Mask,
		"https://u:secret@h?k=secret": "https://h/" + Mask,
	} {
		if got := MaskText(in); got != want {
			t.Errorf("MaskText(%q) = %q, want %q", in, got, want)
		}
	}
}

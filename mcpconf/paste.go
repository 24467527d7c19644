package mcpconf

import (
	"bytes"
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// read makes the tree of the source. The syntax follows from the format, then
// from the file's name, then from the text itself; only then may the text be
// one of the things that people paste.
func (r *reader) read(text []byte) (*yaml.Node, error) {
	syn := r.dialect.syn
	switch strings.ToLower(path.Ext(r.file)) {
	case ".json", ".jsonc", ".json5":
		syn = jsonSyntax
	case ".toml":
		syn = tomlSyntax
	case ".yaml", ".yml":
		syn = yamlSyntax
	}
	if syn == tomlSyntax && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		syn = jsonSyntax
	}
	if syn != "" {
		return r.parse(syn, text)
	}
	text = fenced(text)
	syn = syntaxOf(text)
	switch {
	case syn != "":
		return r.parse(syn, text)
	case isFragment(text):
		root, err := doc.JSONFragment(text)
		if err != nil {
			return nil, r.syntaxError(jsonSyntax, err)
		}
		return root, nil
	}
	if root, ok, err := r.commandLines(text); ok || err != nil {
		return root, err
	}
	return r.parse(jsonSyntax, text)
}

func (r *reader) parse(syn syntax, text []byte) (*yaml.Node, error) {
	parse := map[syntax]func([]byte) (*yaml.Node, error){
		jsonSyntax: doc.JSON, tomlSyntax: doc.TOML, yamlSyntax: doc.YAML,
	}[syn]
	r.syn = syn
	root, err := parse(text)
	if err != nil {
		return nil, r.syntaxError(syn, err)
	}
	return root, nil
}

// maxPaste bounds, in bytes, what is looked through to guess what a text is.
const maxPaste = 1 << 20

// syntaxOf guesses by the first line that tells.
func syntaxOf(text []byte) syntax {
	text = text[:min(len(text), maxPaste)]
	switch first := bytes.TrimSpace(text); {
	case bytes.HasPrefix(first, []byte("[mcp_servers")):
		return tomlSyntax
	case len(first) > 0 && strings.IndexByte("{[/", first[0]) >= 0:
		return jsonSyntax
	}
	keys := map[string]bool{}
	for _, key := range containerKeys() {
		keys[key[0]+":"] = true
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		switch {
		case bytes.HasPrefix(line, []byte("[mcp_servers")):
			return tomlSyntax
		case bytes.HasPrefix(line, []byte("- name:")):
			return yamlSyntax
		case keys[string(line)]:
			return yamlSyntax
		}
	}
	return ""
}

// isFragment tells a member of a JSON object without the braces around it.
func isFragment(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte(`"`))
}

// fenced blanks everything outside a Markdown code block, so that places stay
// what they are. Of several blocks the first that names a format counts, else
// the first.
func fenced(text []byte) []byte {
	const fence = "```"
	if !bytes.Contains(text, []byte(fence)) || syntaxOf(text) == jsonSyntax {
		return text
	}
	type span struct {
		from, to int
		known    bool
	}
	var blocks []span
	open := -1
	off := 0
	for line := range bytes.Lines(text) {
		word, isFence := strings.CutPrefix(strings.TrimSpace(string(line)), fence)
		switch {
		case isFence && open < 0:
			open = off + len(line)
			blocks = append(blocks, span{from: open, to: len(text), known: isFormatWord(strings.TrimLeft(word, "`"))})
		case isFence:
			blocks[len(blocks)-1].to = off
			open = -1
		}
		off += len(line)
	}
	if len(blocks) == 0 {
		return text
	}
	use := blocks[0]
	for _, b := range blocks {
		if b.known {
			use = b
			break
		}
	}
	out := bytes.Map(func(c rune) rune {
		if c == '\n' {
			return c
		}
		return ' '
	}, text[:use.from])
	out = append(out, text[use.from:use.to]...)
	if len(bytes.TrimSpace(out)) == 0 {
		return text
	}
	return out
}

func isFormatWord(word string) bool {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "json", "jsonc", "json5", "toml", "yaml", "yml":
		return true
	}
	return false
}

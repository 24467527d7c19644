package main

import (
	"encoding/json"
	"io"
	"strings"
)

func readGemini(path string, body []byte) (turn, error) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct{ Response json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return turn{}, err
	}
	t := turn{stream: strings.Contains(path, "stream")}
	for _, tool := range in.Tools {
		for _, f := range tool.FunctionDeclarations {
			t.Tools = append(t.Tools, f.Name)
		}
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				t.Results = append(t.Results, string(p.FunctionResponse.Response))
			}
		}
	}
	return t, nil
}

func writeGemini(w io.Writer, t turn, a answer) {
	part := object{"text": a.text}
	if a.tool != "" {
		part = object{"functionCall": object{"name": a.tool, "args": a.args}}
	}
	out := object{
		"candidates": []any{object{"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  "standin",
	}
	if t.stream {
		event(w, out)
		return
	}
	send(w, out)
}

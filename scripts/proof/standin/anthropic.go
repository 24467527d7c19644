package main

import (
	"encoding/json"
	"fmt"
	"io"
)

func readAnthropic(_ string, body []byte) (turn, error) {
	var in struct {
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return turn{}, err
	}
	t := turn{stream: in.Stream}
	for _, tool := range in.Tools {
		t.Tools = append(t.Tools, tool.Name)
	}
	for _, m := range in.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a plain string
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				t.Results = append(t.Results, string(b.Content))
			}
		}
	}
	return t, nil
}

func writeAnthropic(w io.Writer, t turn, a answer) {
	block, start, delta, reason := object{"type": "text", "text": a.text}, object{"type": "text", "text": ""},
		object{"type": "text_delta", "text": a.text}, "end_turn"
	if a.tool != "" {
		block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", a.turn), "name": a.tool, "input": a.args}
		start = block.with(object{"input": object{}})
		delta, reason = object{"type": "input_json_delta", "partial_json": string(a.args)}, "tool_use"
	}
	usage := object{"input_tokens": 1, "output_tokens": 1}
	message := object{
		"id": fmt.Sprintf("msg_%d", a.turn), "type": "message", "role": "assistant", "model": "standin",
		"content": []any{block}, "stop_reason": reason, "stop_sequence": nil, "usage": usage,
	}
	if !t.stream {
		send(w, message)
		return
	}
	event(w, object{"type": "message_start", "message": message.with(object{"content": []any{}, "stop_reason": nil})})
	event(w, object{"type": "content_block_start", "index": 0, "content_block": start})
	event(w, object{"type": "content_block_delta", "index": 0, "delta": delta})
	event(w, object{"type": "content_block_stop", "index": 0})
	event(w, object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": usage})
	event(w, object{"type": "message_stop"})
}

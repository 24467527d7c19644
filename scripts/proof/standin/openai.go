package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

func readChat(_ string, body []byte) (turn, error) {
	var in struct {
		Stream bool
		Tools  []struct {
			Function struct{ Name string }
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return turn{}, err
	}
	t := turn{stream: in.Stream}
	for _, tool := range in.Tools {
		t.Tools = append(t.Tools, tool.Function.Name)
	}
	for _, m := range in.Messages {
		if m.Role == "tool" {
			t.Results = append(t.Results, string(m.Content))
		}
	}
	return t, nil
}

func writeChat(w io.Writer, t turn, a answer) {
	message, reason := object{"role": "assistant", "content": a.text}, "stop"
	if a.tool != "" {
		message, reason = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
			"index": 0, "id": fmt.Sprintf("call_%d", a.turn), "type": "function",
			"function": object{"name": a.tool, "arguments": string(a.args)},
		}}}, "tool_calls"
	}
	base := object{"id": fmt.Sprintf("chat_%d", a.turn), "created": 1, "model": "standin"}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !t.stream {
		send(w, base.with(object{"object": "chat.completion", "usage": usage,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}}}))
		return
	}
	base["object"] = "chat.completion.chunk"
	event(w, base.with(object{"choices": []any{object{"index": 0, "delta": message, "finish_reason": nil}}}))
	event(w, base.with(object{"usage": usage, "choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}}}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// namespace separates the two parts of a tool's name in the responses API.
const namespace = "|"

func readResponses(_ string, body []byte) (turn, error) {
	type tool struct {
		Type, Name string
		Tools      []struct{ Name string }
	}
	var in struct {
		Stream bool
		Tools  []tool
		Input  json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return turn{}, err
	}
	t := turn{stream: in.Stream}
	for _, tool := range in.Tools {
		if len(tool.Tools) == 0 {
			t.Tools = append(t.Tools, tool.Name)
		}
		for _, inner := range tool.Tools {
			t.Tools = append(t.Tools, tool.Name+namespace+inner.Name)
		}
	}
	var items []struct {
		Type   string
		Output json.RawMessage
	}
	if json.Unmarshal(in.Input, &items) == nil { // else a plain string
		for _, item := range items {
			if item.Type == "function_call_output" {
				t.Results = append(t.Results, string(item.Output))
			}
		}
	}
	return t, nil
}

func writeResponses(w io.Writer, t turn, a answer) {
	item := object{"type": "message", "id": fmt.Sprintf("msg_%d", a.turn), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}}}
	start := item.with(object{"status": "in_progress", "content": []any{}})
	part := object{"type": "response.output_text.delta", "content_index": 0, "delta": a.text}
	if a.tool != "" {
		item = object{"type": "function_call", "id": fmt.Sprintf("fc_%d", a.turn), "call_id": fmt.Sprintf("call_%d", a.turn),
			"name": a.tool, "arguments": string(a.args), "status": "completed"}
		if space, name, ok := strings.Cut(a.tool, namespace); ok {
			item["namespace"], item["name"] = space, name
		}
		start = item.with(object{"status": "in_progress", "arguments": ""})
		part = object{"type": "response.function_call_arguments.done", "arguments": string(a.args)}
	}
	response := object{
		"id": fmt.Sprintf("resp_%d", a.turn), "object": "response", "created_at": 1, "status": "completed", "model": "standin",
		"output": []any{item},
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}},
	}
	if !t.stream {
		send(w, response)
		return
	}
	for i, e := range []object{
		{"type": "response.created", "response": response.with(object{"status": "in_progress", "output": []any{}})},
		{"type": "response.output_item.added", "output_index": 0, "item": start},
		part.with(object{"item_id": item["id"], "output_index": 0}),
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": response},
	} {
		event(w, e.with(object{"sequence_number": i}))
	}
}

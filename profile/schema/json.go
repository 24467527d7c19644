package schema

import (
	"bytes"
	"encoding/json"
)

// node is a part of a JSON Schema.
type node map[string]any

// JSONSchema is the JSON Schema of a profile, for editors.
func JSONSchema() ([]byte, error) {
	s := Profile().object("")
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "heretic profile"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (t Table) object(path string) node {
	properties := node{}
	for _, k := range t.Below(path) {
		p := t.property(k)
		p["description"] = k.Doc
		if k.Default != "" {
			p["default"] = k.value(k.Default)
		}
		properties[k.Name()] = p
	}
	return node{"type": "object", "additionalProperties": false, "properties": properties}
}

// value is the default as JSON has it.
func (k Key) value(text string) any {
	if k.Type == Bool {
		return text == "true"
	}
	return text
}

func (t Table) property(k Key) node {
	scalar := node{"type": []string{"string", "number", "boolean"}}
	list := node{"type": []string{"array", "null"}, "items": scalar}
	anything := func(types ...node) node { return node{"anyOf": types} }
	stringMap := func(value node) node {
		return node{"type": []string{"object", "null"}, "additionalProperties": value}
	}
	switch k.Type {
	case Bool:
		// A reference to a variable may stand for true or false.
		return anything(node{"type": "boolean"}, node{"type": "string", "pattern": `\$\{`})
	case Scalar, Size, Count:
		return node{"type": []string{"string", "number"}}
	case Words, OneOrList:
		return anything(scalar, list)
	case List:
		return list
	case Map:
		return stringMap(scalar)
	case Env:
		return stringMap(node{"type": []string{"string", "number", "boolean", "null"}})
	case Secrets:
		return stringMap(anything(scalar, closed(node{"source": scalar, "as": node{"enum": []string{"file", "env"}}}, "source")))
	case Volumes:
		entry := closed(node{"source": scalar, "target": scalar, "readonly": node{"type": "boolean"}}, "source", "target")
		return node{"type": []string{"array", "null"}, "items": anything(node{"type": "string"}, entry)}
	case Servers:
		return anything(
			node{"type": "array", "items": anything(node{"type": "string"}, server("name"))},
			node{"type": "object", "additionalProperties": anything(node{"type": "string"}, server())},
		)
	case Object:
		o := t.object(k.Path)
		o["type"] = []string{"object", "null"}
		return o
	}
	p := node{"type": "string"}
	if k.Values != nil {
		p["enum"] = k.Values
	}
	return p
}

func closed(properties node, required ...string) node {
	return node{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// server is the common shape of a server. Other keys are allowed: they are
// notes, not errors.
func server(required ...string) node {
	texts := node{"type": []string{"object", "null"}, "additionalProperties": node{"type": []string{"string", "number", "boolean", "null"}}}
	s := node{"type": "object", "properties": node{
		"name": node{"type": "string"}, "type": node{"type": "string"}, "command": node{"type": []string{"string", "array"}},
		"args": node{"type": []string{"array", "null"}}, "env": texts, "cwd": node{"type": "string"},
		"url": node{"type": "string"}, "headers": texts, "tools": node{"type": []string{"array", "null"}}, "disabled": node{"type": "boolean"},
	}}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

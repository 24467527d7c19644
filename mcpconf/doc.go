// Package mcpconf reads, merges and writes MCP server definitions.
//
// [Parse] reads any client's file (JSON with comments, TOML, YAML) into a
// [Set] of servers in one neutral form; [Merge] lays one list over another;
// [Render] writes the form that one kind of agent reads. The package is pure:
// it opens no file, reads no environment and knows no container engine.
package mcpconf

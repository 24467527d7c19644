// Package ui is how commands speak to people: the three streams and what is
// known about them, colour, tables, JSON, prompts, and the escaping of text
// that heretic did not write itself.
package ui

// Package edit changes single keys of JSON and TOML files that an agent owns,
// and keeps every other byte.
package edit

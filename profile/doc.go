// Package profile reads the YAML layers that say how an agent is launched:
// it loads and validates them, follows extends, merges by the rule of each
// key, interpolates, and remembers for each value where it came from.
//
// Reading and merging have no side effects. [Merged.Resolve] is the step that
// runs secret scripts, and is to be called only after the user's approval of
// what the project asks for.
package profile

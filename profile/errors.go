package profile

import "heretic/profile/schema"

// Error is one thing that is wrong in a file, with its place and the path of
// the key.
type Error = schema.Error

// Errors returns the errors that have a place in a file, out of one that may
// join or wrap them.
func Errors(err error) []*Error { return schema.Errors(err) }

// Key is one row of the schema.
type Key = schema.Key

// Schema returns the table of all keys.
func Schema() []Key { return schema.Profile() }

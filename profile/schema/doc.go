// Package schema is the shape of a profile file as one table of rows: each key
// with its type, its rule between layers, what a project's override may do
// with it, and its documentation.
//
// [Parse] reads a file strictly into a tree without aliases, [Table.Check] holds the
// tree against the table. The JSON Schema and the reference of the
// documentation are made from the same rows.
package schema

// Package cmd is heretic's command line: one file for each command, with its
// flags, its wiring to the other packages and its text.
//
// [Main] is the whole program. Commands get what they need from [App]: streams,
// environment, directories and the engine, as values or as functions that are
// called only when a command needs them.
package cmd

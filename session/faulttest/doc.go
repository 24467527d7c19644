// Package faulttest holds no code but a test: what is left after something
// fails, or is killed, at each phase of a session's life. It runs the built
// program under a terminal against an engine of its own.
package faulttest

// Package walltest holds no code but tests: what a hostile project, or an agent
// inside a container, can reach on the host, and where secrets are found. It
// runs the built program against a real engine.
package walltest

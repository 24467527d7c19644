// Package runner runs one container on a Docker-compatible engine: connect,
// pull, create, attach, start, wait, and the calls that look at containers
// afterwards. The engine's own types do not leave this package.
package runner

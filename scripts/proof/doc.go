// Package proof holds no code: its tests prove with the real agents that they
// have their servers. Each agent runs in its container without a network, a
// stand-in answers for its model (see standin), and a tool of a real MCP server
// is called.
//
// `make test` runs them, when something has changed since they passed, and
// `make proof` runs them again. The image is built once for each recipe and
// kept; `make clean` removes it.
package proof

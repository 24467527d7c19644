package mcpconf

// Form names what [Render] writes: one agent's own shape of MCP configuration.
type Form string

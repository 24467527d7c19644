package profile

// servers resolves the MCP servers.
func (r *resolver) servers() {}

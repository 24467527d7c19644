package runner

import (
	"slices"
	"strings"
)

// ProxyEnv is what the docker configuration (proxies) wants in the environment
// of every container, as NAME=value in the order of the names, each in upper
// and lower case as the docker CLI has it. Values may hold a password.
func (e *Engine) ProxyEnv() []string {
	var env []string
	for name, value := range e.config().ParseProxyConfig(e.endpoint.host, nil) {
		if value != nil {
			env = append(env, name+"="+*value)
		}
	}
	slices.SortFunc(env, strings.Compare)
	return env
}

// Package preset knows the providers of models: what each one needs in the
// container's environment. A provider is a row of data.
package preset

import "heretic/mcpconf"

// Provider is one value of a profile's `provider`.
type Provider struct {
	Name  string
	Title string
	// Key is the variable in which the agent expects the credential.
	Key string
	// Env is set in the container unless the profile sets it.
	Env []mcpconf.Var
}

// Compatible tells whether the provider is an Anthropic-compatible endpoint,
// whose base URL and models are in Env.
func (p Provider) Compatible() bool { return len(p.Env) > 0 }

// All returns the providers in the order in which they are shown.
func All() []Provider {
	return []Provider{
		{Name: "anthropic", Title: "Anthropic", Key: "ANTHROPIC_API_KEY"},
		{Name: "thirdparty", Title: "an Anthropic-compatible endpoint of your own (ANTHROPIC_BASE_URL)", Key: "ANTHROPIC_AUTH_TOKEN"},
		{Name: "copilot", Title: "GitHub Copilot", Key: "GH_TOKEN"},
		{Name: "openai", Title: "OpenAI", Key: "OPENAI_API_KEY"},
		{Name: "google", Title: "Google", Key: "GEMINI_API_KEY"},
		compatible("zai", "Z.ai", "https://api.z.ai/api/anthropic", "glm-4.7", "glm-4.5-air"),
		compatible("kimi", "Moonshot AI Kimi", "https://api.moonshot.ai/anthropic", "kimi-k2.5", "kimi-k2.5"),
		compatible("deepseek", "DeepSeek", "https://api.deepseek.com/anthropic", "deepseek-chat", "deepseek-chat"),
		compatible("minimax", "MiniMax", "https://api.minimax.io/anthropic", "MiniMax-M2", "MiniMax-M2"),
	}
}

// compatible is the row of an Anthropic-compatible endpoint.
func compatible(name, title, url, model, small string) Provider {
	return Provider{Name: name, Title: title, Key: "ANTHROPIC_AUTH_TOKEN", Env: []mcpconf.Var{
		{Name: "ANTHROPIC_BASE_URL", Value: url},
		{Name: "ANTHROPIC_MODEL", Value: model},
		{Name: "ANTHROPIC_DEFAULT_OPUS_MODEL", Value: model},
		{Name: "ANTHROPIC_DEFAULT_SONNET_MODEL", Value: model},
		{Name: "ANTHROPIC_DEFAULT_HAIKU_MODEL", Value: small},
		{Name: "ANTHROPIC_SMALL_FAST_MODEL", Value: small},
		{Name: "CLAUDE_CODE_SUBAGENT_MODEL", Value: model},
		{Name: "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", Value: "1"},
		{Name: "API_TIMEOUT_MS", Value: "600000"},
	}}
}

// Lookup finds a provider by name.
func Lookup(name string) (Provider, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// Names are the names of all providers.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Credentials are the variables that hold a credential. An empty one shadows
// the agent's own login.
func Credentials() []string {
	return []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN",
	}
}

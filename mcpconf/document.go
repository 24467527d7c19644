package mcpconf

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// ParseNode reads the servers of a YAML list or map that is part of a bigger
// document: the `mcp` of a profile. Unknown keys of an entry are notes.
func ParseNode(file string, n *yaml.Node) (Set, error) {
	r := &reader{file: file}
	r.dialect, _ = dialectNamed("heretic")
	root, err := doc.Resolve(n)
	if err != nil {
		return Set{}, r.syntaxError(yamlSyntax, err)
	}
	c := &collector{reader: r, seen: map[string]Pos{}}
	if err := c.container("mcp", root); err != nil {
		return Set{}, err
	}
	return Set{Servers: c.servers, Notes: r.notes, Dialect: r.dialect.name}, nil
}

// document finds the servers in a whole document.
func (r *reader) document(root *yaml.Node) (Set, error) {
	r.inputs = inputs(root)
	c := &collector{reader: r, seen: map[string]Pos{}}
	if err := c.document(root); err != nil {
		return Set{}, err
	}
	c.exclude(value(root, "mcp", "excluded"))
	return Set{Servers: c.servers, Notes: r.notes, Dialect: r.dialect.name}, nil
}

// collector gathers the servers of all containers of one source.
type collector struct {
	*reader
	servers []Server
	seen    map[string]Pos
	hosts   map[string]int
}

func (c *collector) document(root *yaml.Node) error {
	if root.Kind == yaml.SequenceNode {
		return c.containerAs([]string{"mcpServers"}, root)
	}
	found, err := c.containers(root)
	switch {
	case err != nil || found:
		return err
	case isServer(root):
		return c.single(root)
	case root.Kind == yaml.MappingNode && (len(root.Content) == 0 || anyServer(root)):
		return c.containerAs([]string{"mcpServers"}, root)
	}
	return &FormatError{
		Pos:    c.pos(root),
		reason: ErrNoServers,
		text:   "no MCP servers found in " + printable(c.file),
		hint:   `servers are expected under "mcpServers" or "servers", as a map of names, or as a list`,
	}
}

// exclude disables the servers that Gemini and Qwen have in a list of their
// own.
func (c *collector) exclude(list *yaml.Node) {
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for _, n := range list.Content {
		for i := range c.servers {
			if c.servers[i].Name == n.Value {
				c.servers[i].Disabled = true
				c.notef(n.Value, "", c.pos(n))("disabled by mcp.excluded")
			}
		}
	}
}

// containers reads what is below the keys of the known clients, in the order
// of the source.
func (c *collector) containers(root *yaml.Node) (found bool, err error) {
	seen := map[string]Pos{}
	for k, v := range pairs(root) {
		for _, key := range containerKeys() {
			if key[0] != k.Value {
				continue
			}
			n := value(v, key[1:]...)
			if n == nil || hasServerText(n) || !c.owns(key, n) {
				continue
			}
			name := strings.Join(key, ".")
			if at, ok := seen[name]; ok {
				return true, &FormatError{Pos: c.pos(k), text: fmt.Sprintf("%s: the key %q was there before, at %s", c.pos(k), name, at)}
			}
			seen[name], found = c.pos(k), true
			if err := c.containerAs(key, n); err != nil {
				return true, err
			}
			break
		}
	}
	return found, nil
}

func (c *collector) owns(key []string, n *yaml.Node) bool {
	d := dialectOfKey(key, c.syn)
	return d.owns == nil || d.owns(n)
}

// containerAs reads one container in the dialect that its key means, unless
// the caller or the file's name has said another.
func (c *collector) containerAs(key []string, n *yaml.Node) error {
	if c.dialect.name == "" {
		d, ok := dialectOfFile(c.file)
		if !ok || !d.has(key) {
			d = dialectOfKey(key, c.syn)
		}
		c.dialect = d
	}
	return c.container(strings.Join(key, "."), n)
}

// container reads a map or a list of servers.
func (c *collector) container(key string, n *yaml.Node) error {
	switch {
	case isNull(n):
		return nil
	case n.Kind == yaml.MappingNode:
		c.servers = slices.Grow(c.servers, len(n.Content)/2)
		for k, v := range pairs(n) {
			if k.Value == "$schema" || k.Value == "inputs" && v.Kind == yaml.SequenceNode {
				continue
			}
			if err := c.add(k.Value, c.pos(k), v); err != nil {
				return err
			}
		}
		return nil
	case n.Kind == yaml.SequenceNode:
		c.servers = slices.Grow(c.servers, len(n.Content))
		for i, v := range n.Content {
			if err := c.element(i, v); err != nil {
				return err
			}
		}
		return nil
	}
	return &FormatError{Pos: c.pos(n), text: fmt.Sprintf("%s: %s: expected a map or a list of servers, found %s", c.pos(n), key, kindOf(n))}
}

// element reads an entry of a list, which must say its name itself.
func (c *collector) element(i int, n *yaml.Node) error {
	label := fmt.Sprintf("#%d", i+1)
	if n.Kind == yaml.ScalarNode && n.Tag == doc.TagString {
		if n.Value == "" {
			return serverError(label, "", c.pos(n), "the entry is an empty string; expected an http(s) URL or an object")
		}
		return c.add(c.hostName(n.Value), c.pos(n), n)
	}
	name := value(n, "name")
	switch {
	case n.Kind != yaml.MappingNode:
		return serverError(label, "", c.pos(n), "expected an object or an http(s) URL, found %s", kindOf(n))
	case name == nil:
		return serverError(label, "", c.pos(n), "an entry of a list needs a 'name'")
	case name.Kind != yaml.ScalarNode || isNull(name):
		return serverError(label, "name", c.pos(name), "expected a string, found %s", kindOf(name))
	}
	return c.add(name.Value, c.pos(name), n)
}

// single reads one server that stands alone.
func (c *collector) single(n *yaml.Node) error {
	if value(n, "name") == nil {
		return &FormatError{
			Pos:  c.pos(n),
			text: fmt.Sprintf("%s: one MCP server without a name", c.pos(n)),
			hint: `write {"NAME": {...}} around it`,
		}
	}
	return c.containerAs([]string{"mcpServers"}, doc.List(n))
}

func (c *collector) hostName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return raw
	}
	if c.hosts == nil {
		c.hosts = map[string]int{}
	}
	c.hosts[u.Hostname()]++
	if n := c.hosts[u.Hostname()]; n > 1 {
		return fmt.Sprintf("%s-%d", u.Hostname(), n)
	}
	return u.Hostname()
}

func (c *collector) add(name string, pos Pos, n *yaml.Node) error {
	if at, ok := c.seen[name]; ok {
		return serverError(name, "", pos, "a server of that name was there before, at %s", at)
	}
	c.seen[name] = pos
	s, ok, err := c.entry(name, pos, n)
	if err != nil {
		return err
	}
	if ok {
		c.servers = append(c.servers, s)
	}
	return nil
}

// isServer tells whether a value has what only a server has. The rule of a
// bare map: one such value makes its siblings servers too.
func isServer(n *yaml.Node) bool {
	transport := value(n, "transport")
	return hasServerText(n) || transport != nil && value(transport, "type") != nil
}

// hasServerText tells the same of a value below a container's key, where a map
// under "transport" is a server of that name.
func hasServerText(n *yaml.Node) bool {
	if isHTTP(n) {
		return true
	}
	for k, v := range pairs(n) {
		switch k.Value {
		case "command":
			if value(v, "path") != nil || v.Kind == yaml.SequenceNode || isText(v) {
				return true
			}
		case "cmd", "url", "httpUrl", "serverUrl", "uri", "endpoint", "transport":
			if isText(v) {
				return true
			}
		}
	}
	return false
}

func anyServer(n *yaml.Node) bool {
	for k, v := range pairs(n) {
		if k.Value != "$schema" && isServer(v) {
			return true
		}
	}
	return false
}

// inputs are the descriptions of VS Code's inputs, by id.
func inputs(root *yaml.Node) map[string]string {
	found := map[string]string{}
	for _, path := range [][]string{{"inputs"}, {"mcp", "inputs"}} {
		list := value(root, path...)
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for _, in := range list.Content {
			id, text := value(in, "id"), value(in, "description")
			if id != nil && text != nil {
				found[id.Value] = text.Value
			}
		}
	}
	return found
}

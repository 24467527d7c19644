package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"heretic/mcpconf"
)

func power(path, full string) Power { return newPower("env", path, full, full, mcpconf.Pos{}) }

func TestStore(t *testing.T) {
	s := Store{HereticHome: t.TempDir()}
	a, b, c := power("env.A", "1"), power("env.B", "2"), power("env.C", "3")
	free := newPower(ServerKind, "s", "npx", "npx", mcpconf.Pos{})
	free.Free = true

	d, err := s.Compare("/p", "claude", []Power{a, b, free})
	if err != nil || d.Approved() || len(d.Asks) != 2 || d.Known || d.Granted(free) {
		t.Fatalf("before: %+v, %v", d, err)
	}
	if err := s.Approve("/p", "claude", []Power{a, b, free}); err != nil {
		t.Fatal(err)
	}
	d, err = s.Compare("/p", "claude", []Power{b, a, free})
	if err != nil || !d.Approved() || !d.Known || len(d.Gone) != 0 || !d.Granted(free) {
		t.Fatalf("after: %+v, %v", d, err)
	}
	if !d.GrantedAll([]Power{a, free}, ServerKind) {
		t.Error("the server is not granted")
	}
	d, err = s.Compare("/p", "claude", []Power{a, c})
	if err != nil || d.Approved() || len(d.Asks) != 1 || d.Asks[0].Path != "env.C" || len(d.Gone) != 2 {
		t.Fatalf("changed: %+v, %v", d, err)
	}
	// Another project, another agent, nothing to ask.
	for _, k := range [][2]string{{"/q", "claude"}, {"/p", "copilot"}} {
		if d, err := s.Compare(k[0], k[1], []Power{a}); err != nil || d.Approved() || d.Known {
			t.Errorf("%v: %+v, %v", k, d, err)
		}
	}
	if d, err := s.Compare("/q", "x", nil); err != nil || !d.Approved() {
		t.Errorf("nothing asked: %+v, %v", d, err)
	}

	if runtime.GOOS != "windows" {
		for path, mode := range map[string]os.FileMode{s.dir(): 0o700, s.file("/p", "claude"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	if err := s.Approve("/q", "claude", []Power{a}); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].Project != "/p" || list[0].Hash != Hash([]Power{a, b, free}) {
		t.Fatalf("list: %+v, %v", list, err)
	}
	gone, err := s.Revoke("/p", "")
	if err != nil || len(gone) != 1 {
		t.Fatalf("revoke: %+v, %v", gone, err)
	}
	if d, err := s.Compare("/p", "claude", []Power{a}); err != nil || d.Approved() {
		t.Errorf("after revoke: %+v, %v", d, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir(), "*")); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A damaged record approves nothing and says where it is.
func TestStoreDamaged(t *testing.T) {
	s := Store{HereticHome: t.TempDir()}
	if err := s.Approve("/p", "a", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file("/p", "a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Compare("/p", "a", nil); err == nil {
		t.Error("no error")
	}
	// A record of another project under this name approves nothing.
	other := s.file("/q", "a")
	if err := s.Approve("/p", "a", []Power{power("env.A", "1")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.file("/p", "a"), other); err != nil {
		t.Fatal(err)
	}
	if d, err := s.Compare("/q", "a", []Power{power("env.A", "1")}); err != nil || d.Approved() {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestGrant(t *testing.T) {
	a := power("env.A", "1")
	if d := Grant([]Power{a}); !d.Approved() || !d.Granted(a) {
		t.Errorf("%+v", d)
	}
	if d := Grant(nil); d.Granted(Power{}) {
		t.Error("a power without digest is granted")
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	look := func() []Power {
		t.Helper()
		p, err := Folder(dir, []string{".claude", ".mcp.json"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := look(); len(p) != 0 {
		t.Fatalf("empty: %+v", p)
	}
	write(".claude/settings.json", "{}")
	first := look()
	if len(first) != 1 || !first[0].Free || first[0].Path != ".claude" {
		t.Fatalf("one: %+v", first)
	}
	if Hash(look()) != Hash(first) {
		t.Error("not stable")
	}
	write(".claude/hooks/x.sh", "evil")
	if Hash(look()) == Hash(first) {
		t.Error("a new hook is not noticed")
	}
	if err := os.Symlink("/etc", filepath.Join(dir, ".claude/link")); err != nil {
		t.Fatal(err)
	}
	if p := look(); p[0].Digest != "" {
		t.Error("a folder with links can be approved")
	}
}

package profile

import (
	"fmt"
	"os/user"
	"path/filepath"
	"strings"
)

// place is the value of a variable that names a directory of the host.
func (l Loader) place(name string) (string, bool) {
	switch name {
	case "CWD":
		return l.Project, l.Project != ""
	case "HOME":
		return l.Home, l.Home != ""
	}
	return "", false
}

// hostPath makes a path of a profile absolute: ~ and ~user at the start, and
// what is relative is below the project.
func (l Loader) hostPath(s string) (string, error) {
	if s == "" {
		return "", fmt.Errorf("the path is empty")
	}
	if strings.ContainsRune(s, 0) {
		return "", fmt.Errorf("the path has a NUL in it")
	}
	if s[0] == '~' {
		return expandTilde(s, l.Home)
	}
	if filepath.IsAbs(s) || isDrive(s) {
		return filepath.Clean(s), nil
	}
	if l.Project == "" {
		return "", fmt.Errorf("%s is relative, and there is no project", s)
	}
	return filepath.Join(l.Project, s), nil
}

func expandTilde(s, home string) (string, error) {
	name, rest := s[1:], ""
	if i := strings.IndexAny(name, `/\`); i >= 0 {
		name, rest = name[:i], name[i+1:]
	}
	if name == "" {
		if home == "" {
			return "", fmt.Errorf("the home directory for ~ is not known")
		}
		return filepath.Join(home, rest), nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", fmt.Errorf("no user %q for ~%s", name, name)
	}
	return filepath.Join(u.HomeDir, rest), nil
}

// isDrive tells whether s starts like a path on a Windows drive.
func isDrive(s string) bool {
	return len(s) >= 3 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') &&
		(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

// Within tells whether path is dir or below it, as they are written.
func Within(dir, path string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// RealPath follows links as far as the path exists.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, base := filepath.Split(filepath.Clean(path))
	if dir == "" || dir == path {
		return path
	}
	return filepath.Join(RealPath(filepath.Clean(dir)), base)
}

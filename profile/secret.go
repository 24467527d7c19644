package profile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"heretic/profile/internal/expand"
	"heretic/profile/schema"
)

// scriptTimeout is how long a secret script may take.
const scriptTimeout = 30 * time.Second

// secretSource is a secret as it is written.
type secretSource struct {
	text string
	as   string // "", "file" or "env"
	node *yaml.Node
}

func readSecret(n *yaml.Node) secretSource {
	if n.Kind != yaml.MappingNode {
		return secretSource{text: n.Value, node: n}
	}
	s := secretSource{node: child(n, "source")}
	s.text = s.node.Value
	if as := child(n, "as"); as != nil {
		s.as = as.Value
	}
	return s
}

// isScript tells whether a secret's source is a program to run. It is decided
// on the text as written, never on the value of a variable: that is not to
// be executed.
func isScript(text string) bool { return isScriptOn(text, drives) }

// isScriptOn decides for a host with or without drives.
func isScriptOn(text string, drives bool) bool {
	words, err := SplitCommand(text)
	if err != nil {
		words = strings.Fields(text) // an open quote is an error later, not a literal
	}
	if len(words) == 0 {
		return false
	}
	first := words[0]
	for _, ext := range []string{".sh", ".cmd", ".bat", ".ps1"} {
		if strings.HasSuffix(strings.ToLower(first), ext) {
			return true
		}
	}
	if drives && isDrive(first) {
		return true
	}
	for _, prefix := range []string{"/", "./", "~/", "${HOME}/", "${CWD}/"} {
		if strings.HasPrefix(first, prefix) {
			return true
		}
	}
	return false
}

// SecretFiles returns the files that the command line of a secret names: the
// program, and arguments that are files. Empty when the secret runs nothing.
func (m *Merged) SecretFiles(v Value) []string {
	text := readSecret(v.Node).text
	words, err := SplitCommand(text)
	if err != nil || !isScript(text) {
		return nil
	}
	var files []string
	for i, w := range words {
		path, ok := m.HostPath(w)
		if !ok {
			continue
		}
		if info, err := os.Stat(path); i == 0 || err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files
}

// CheckScripts finds the secret scripts that are not there or may not be
// executed. It runs none; a path that needs more than the project and the home
// directory is not looked at.
func (m *Merged) CheckScripts() error {
	var errs []*schema.Error
	for _, v := range append(m.Below("secrets"), m.Tokens()...) {
		src := readSecret(v.Node)
		words, err := splitWords(src.text)
		if err != nil || !isScript(src.text) {
			continue
		}
		file, ok := m.HostPath(words[0])
		if !ok {
			continue
		}
		if err := runnable(file); err != nil {
			errs = append(errs, &schema.Error{Pos: schema.At(v.Layer.File, src.node), Path: v.Path, Msg: err.Error(), Fix: hintOf(err)})
		}
	}
	return schema.Join(errs)
}

// secrets resolves the secrets, and from then on ${NAME} finds them.
func (r *resolver) secrets(ctx context.Context) {
	values := map[string]string{}
	for _, v := range r.m.Below("secrets") {
		name := strings.TrimPrefix(v.Path, "secrets.")
		src := readSecret(v.Node)
		value, err := r.secret(ctx, src.text)
		if err != nil {
			r.fail(v, v.Path, src.node, err)
			r.unknown[name] = true
			continue
		}
		values[name] = value
		r.origin(v.Path, value, true, v.Origin())
		switch src.as {
		case "file":
			r.out.Profile.SecretFiles = append(r.out.Profile.SecretFiles, SecretFile{Name: name, Value: value})
		case "env":
			r.secretEnv = append(r.secretEnv, EnvVar{Name: name, Value: value, Secret: true, Origin: v.Origin()})
		}
	}
	r.known = append(r.known, func(name string) (string, bool) {
		s, ok := values[name]
		return s, ok
	})
}

// secret resolves one source: a script, a variable of the host, or a literal.
func (r *resolver) secret(ctx context.Context, text string) (string, error) {
	if isScript(text) {
		return r.script(ctx, text)
	}
	if name, ok := strings.CutPrefix(text, "$"); ok && isVarName(name) {
		v, ok := r.host(name)
		if !ok {
			return "", &expand.UnsetError{Name: name}
		}
		return v, nil
	}
	return expand.String(text, r.lookup)
}

func isVarName(s string) bool {
	ref, ok := expand.Sole("${" + s + "}")
	return ok && ref.Name == s
}

// script runs a secret script and trims its output.
func (r *resolver) script(ctx context.Context, text string) (string, error) {
	argv, err := SplitCommand(text)
	if err != nil {
		return "", err
	}
	for i := range argv {
		if argv[i], err = expand.String(argv[i], r.lookup); err != nil {
			return "", err
		}
	}
	if argv[0], err = r.m.loader.hostPath(argv[0]); err != nil {
		return "", err
	}
	if err := runnable(argv[0]); err != nil {
		return "", err
	}
	run := r.env.RunScript
	if run == nil {
		// A program of the user's does not run in the project, where what it
		// calls (git, npm) would obey the project's files.
		dir := filepath.Dir(argv[0])
		if Within(r.m.loader.Project, argv[0]) {
			dir = r.m.loader.Project
		}
		run = func(ctx context.Context, argv []string) (string, error) {
			return runScript(ctx, argv, r.env.Environ, dir)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, scriptTimeout, errTimeout)
	defer cancel()
	out, err := run(ctx, argv)
	if err != nil {
		if errors.Is(context.Cause(ctx), errTimeout) {
			err = errTimeout
		}
		return "", &hinted{fmt.Errorf("secret script failed: %s: %w", argv[0], err), "run it by hand to see what it says: " + argv[0]}
	}
	out = strings.TrimSpace(out)
	if out == "" {
		return "", &hinted{fmt.Errorf("secret script printed nothing: %s", argv[0]), "it must print the secret to standard output"}
	}
	return out, nil
}

var errTimeout = fmt.Errorf("no answer within %d seconds", int(scriptTimeout.Seconds()))

// runnable returns an error when a script is missing or may not be executed.
func runnable(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("secret script not found: %s", file)
	case err != nil:
		return fmt.Errorf("secret script: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("secret script is not a regular file: %s", file)
	case !executable(info):
		return &hinted{fmt.Errorf("secret script is not executable: %s", file), "chmod +x " + file}
	}
	return nil
}

// byExtension puts what runs a script in front of it, where the system does not
// look at the first line of a file.
func byExtension(argv []string) []string {
	switch strings.ToLower(filepath.Ext(argv[0])) {
	case ".sh":
		return append([]string{"bash"}, argv...)
	case ".ps1":
		return append([]string{"powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"}, argv...)
	case ".cmd", ".bat":
		return append([]string{"cmd.exe", "/c"}, argv...)
	}
	return argv
}

// runScript runs argv on the host. What the script writes to standard error is
// dropped: it may show what it works with.
func runScript(ctx context.Context, argv, environ []string, dir string) (string, error) {
	argv = interpreter(argv)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = slices.Clone(environ)
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	ownGroup(cmd)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", err
	}
	return out.String(), nil
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"heretic/cmd/internal/files"
	"heretic/cmd/internal/keychain"
	"heretic/cmd/internal/ui"
	"heretic/profile"
	"heretic/profile/preset"
)

// credential is what a profile says about where the agent's credential comes
// from.
type credential struct {
	env, secrets [][2]string
	envFile      string
	note         string
}

// claudeToken is the variable of Claude Code's long-lived token, which needs
// no login in any session.
const claudeToken = "CLAUDE_CODE_OAUTH_TOKEN"

// variable is where the agent expects its credential: what is set in the
// environment already, else a token for claude, else the provider's key.
func (w *wizard) variable() string {
	provider, _ := preset.Lookup(w.row.Provider)
	names := []string{provider.Key}
	if w.row.Name == "claude" {
		names = []string{claudeToken, provider.Key}
	}
	for _, name := range names {
		if value, _ := w.app.Lookup(name); value != "" {
			return name
		}
	}
	return names[0]
}

func (w *wizard) credential(ctx context.Context, home string) (credential, error) {
	name := w.variable()
	value, _ := w.app.Lookup(name)
	if w.o.credential == "" {
		w.o.credential = "none"
		if value != "" {
			w.o.credential = "env"
		}
		if w.prompter != nil && name != "" {
			if err := w.chooseCredential(ctx, name, value != ""); err != nil {
				return credential{}, err
			}
		}
	}
	kind, arg, _ := strings.Cut(w.o.credential, ":")
	switch kind {
	case "none":
		c := credential{}
		if name != "" {
			c.note = "no credential: the agent asks for a login in each new session, and the session keeps it"
		}
		return c, nil
	case "env":
		if arg != "" {
			name = arg
		}
		c := credential{env: [][2]string{{name, "${" + name + ":-}"}}}
		if value, _ := w.app.Lookup(name); value == "" {
			c.note = name + " is not set at the moment; it is looked up when the agent is run"
		}
		return c, nil
	case "script":
		return w.fromScript(name, arg)
	case "file":
		return w.fromFile(ctx, name, arg, home)
	case "keychain":
		return w.fromKeychain(ctx, name)
	}
	return credential{}, &usageError{fmt.Errorf("--credential %q: want env[:NAME], script:PATH, file:PATH, keychain or none", w.o.credential), ""}
}

func (w *wizard) chooseCredential(ctx context.Context, name string, set bool) error {
	about := "the variable " + name + " of your environment"
	if set {
		about += " (it is set)"
	}
	options := []ui.Option{
		{Name: "env", Text: about},
		{Name: "keychain", Text: "the system's keychain; you type it now"},
		{Name: "file", Text: "a file that only you can read; you type it now"},
		{Name: "script", Text: "a program that prints it"},
		{Name: "none", Text: "log in inside the container; the session keeps the login"},
	}
	if w.row.Name == "claude" {
		w.prompter.Print("\n%s is a long-lived token that asks for no login in any session.\nGet one with: claude setup-token\n", claudeToken)
	}
	i, err := w.prompter.Choose(ctx, "Where does "+name+" come from?", options, 0)
	if err != nil {
		return err
	}
	w.o.credential = options[i].Name
	if w.o.credential == "script" {
		path, err := w.prompter.Ask(ctx, "Path of the program", "")
		w.o.credential += ":" + path
		return err
	}
	return nil
}

// exists fails when the file that the user named is not there.
func (w *wizard) exists(path string) error {
	real, err := w.expandHome(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(real); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no such file: %q", path)
	}
	return nil
}

func (w *wizard) fromScript(name, source string) (credential, error) {
	words, err := profile.SplitCommand(source)
	if err == nil && len(words) == 0 {
		err = errors.New("no program is named")
	}
	if err == nil && !filepath.IsAbs(words[0]) && !strings.HasPrefix(words[0], "./") && !strings.HasPrefix(words[0], "~/") {
		err = errors.New("its path must begin with /, ./ or ~/")
	}
	if err != nil {
		return credential{}, &usageError{fmt.Errorf("script %q: %w", source, err), ""}
	}
	if err := w.exists(words[0]); err != nil {
		return credential{}, err
	}
	return credential{secrets: [][2]string{{name, source}}, env: [][2]string{{name, "${" + name + "}"}}}, nil
}

// fromFile uses a dotenv file, or makes one of what is typed.
func (w *wizard) fromFile(ctx context.Context, name, path, home string) (credential, error) {
	if path != "" {
		if err := w.exists(path); err != nil {
			return credential{}, err
		}
		if !strings.HasPrefix(path, "~/") {
			var err error
			if path, err = filepath.Abs(path); err != nil {
				return credential{}, err
			}
		}
		return credential{envFile: path}, nil
	}
	value, err := w.secret(ctx, name)
	if err != nil {
		return credential{}, err
	}
	file := filepath.Join(home, "secrets", w.o.name+".env")
	line := name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + "\"\n"
	if err := files.Write(file, []byte(line), 0o600); err != nil {
		return credential{}, err
	}
	return credential{envFile: file, note: name + " is in " + file + ", which only you can read"}, nil
}

func (w *wizard) fromKeychain(ctx context.Context, name string) (credential, error) {
	self, err := os.Executable()
	if err != nil {
		return credential{}, err
	}
	// Nobody is to type a secret that cannot be kept.
	if err := keychain.Check(ctx, name); err != nil {
		return credential{}, keychainError(err, name)
	}
	value, err := w.secret(ctx, name)
	if err != nil {
		return credential{}, err
	}
	if err := keychain.Set(ctx, name, value); err != nil {
		return credential{}, keychainError(err, name)
	}
	return w.fromScript(name, profile.QuoteWord(self)+" secret get "+name)
}

func (w *wizard) secret(ctx context.Context, name string) (string, error) {
	if w.prompter == nil {
		return w.app.askSecret(ctx, name)
	}
	value, err := w.prompter.Secret(ctx, name)
	if err == nil && value == "" {
		err = fmt.Errorf("no value for %s was given", name)
	}
	return value, err
}

// expandHome expands ~/ for a look at the file; the profile keeps the text.
func (w *wizard) expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := w.app.Home()
	return filepath.Join(home, rest), err
}

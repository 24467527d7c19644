package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/keychain"
	"heretic/cmd/internal/ui"
)

func newSecret(a *App) *cobra.Command {
	return group("secret",
		`Keep secrets in the system's keychain (macOS Keychain, Windows Credential
Manager, Secret Service). A profile uses one with a script as its source:

  secrets:
    GH_TOKEN: {source: /usr/local/bin/heretic secret get GH_TOKEN, as: env}`,
		newSecretSet(a), newSecretGet(a), newSecretDelete(a))
}

func newSecretSet(a *App) *cobra.Command {
	return &cobra.Command{
		Use:                   "set <name>",
		Short:                 "Store a secret, typed or piped",
		Args:                  takes([]string{"name"}),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := a.askSecret(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := keychain.Set(cmd.Context(), args[0], value); err != nil {
				return keychainError(err, args[0])
			}
			a.IO.Say("Stored %s.", args[0])
			return nil
		},
	}
}

func newSecretGet(a *App) *cobra.Command {
	return &cobra.Command{
		Use:                   "get <name>",
		Short:                 "Print a secret",
		Args:                  takes([]string{"name"}),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := keychain.Get(cmd.Context(), args[0])
			if err != nil {
				return keychainError(err, args[0])
			}
			return a.IO.Print([]byte(value + "\n"))
		},
	}
}

func newSecretDelete(a *App) *cobra.Command {
	return &cobra.Command{
		Use:                   "delete <name>",
		Short:                 "Remove a secret",
		Args:                  takes([]string{"name"}),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := keychain.Delete(cmd.Context(), args[0]); err != nil {
				return keychainError(err, args[0])
			}
			a.IO.Say("Removed %s.", args[0])
			return nil
		},
	}
}

func keychainError(err error, name string) error {
	switch {
	case errors.Is(err, keychain.ErrNotFound):
		return withHint(fmt.Errorf("the keychain has no secret %q", name), "heretic secret set "+name)
	case errors.Is(err, context.Canceled):
		return err
	}
	return withHint(fmt.Errorf("the system's keychain: %w", err),
		"unlock it on your desktop; without a keychain, keep the secret in a file or an environment variable")
}

// askSecret reads a secret from the terminal, without showing it, or from
// standard input.
func (a *App) askSecret(ctx context.Context, name string) (string, error) {
	var value string
	prompter, err := a.IO.Prompter()
	switch {
	case errors.Is(err, ui.ErrNoTerminal):
		data, err := readAll(a.IO.In, stdinName)
		if err != nil {
			return "", err
		}
		value = strings.TrimSpace(string(data))
	case err != nil:
		return "", err
	default:
		defer prompter.Close()
		if value, err = prompter.Secret(ctx, name); err != nil {
			return "", err
		}
	}
	if value == "" {
		return "", fmt.Errorf("no value for %s was given", name)
	}
	return value, nil
}

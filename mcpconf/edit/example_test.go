package edit_test

import (
	"fmt"
	"os"

	"heretic/mcpconf/edit"
)

// Set a key in a file that an agent owns, and keep its comments.
func ExampleApply() {
	data, err := edit.Apply("config.toml", []byte("# mine\nmodel = \"x\"\n"),
		edit.Edit{Key: []string{"projects", "/workspace", "trust_level"}, Value: "trusted"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = os.Stdout.Write(data)
	// Output:
	// # mine
	// model = "x"
	//
	// [projects."/workspace"]
	// trust_level = "trusted"
}

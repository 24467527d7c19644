// Empty links what heretic links and does nothing: what it takes to start is
// the floor for every command.
package main

import _ "heretic/cmd"

func main() {}

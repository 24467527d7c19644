// Package session makes one launch out of a resolved profile: a plan that is a
// pure value, the files of the session below .heretic/temp, the container's
// identity, and the repair of what an earlier launch left in the workspace.
package session

package session

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"heretic/profile"
	"heretic/session/gitguard"
	"heretic/session/internal/store"
)

// maxExcludes bounds the user's own ignore file.
const maxExcludes = 1 << 20

// excludes finds the ignore file that git in the container would use by
// itself: ours takes its place, so it has to hold the same. Nothing is read
// that the container could not read in one of the volumes. Home is the
// container user's, workspace where git works.
func excludes(home, workspace string, volumes []profile.Volume) []byte {
	name := path.Join(home, ".config/git/ignore")
	// The later file has the last word.
	for _, config := range []string{
		path.Join(home, ".config/git/config"), path.Join(home, ".gitconfig"), path.Join(workspace, ".git/config"),
	} {
		for _, e := range gitguard.ParseConfig(readMounted(config, volumes)) {
			if e.Key() == "core.excludesfile" {
				name = e.Value
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		name = path.Join(home, rest)
	}
	if !path.IsAbs(name) {
		name = path.Join(workspace, name)
	}
	return readMounted(name, volumes)
}

// readMounted reads what the container has at a path, if a volume brings it:
// nil for whatever is not a small regular file in one.
func readMounted(name string, volumes []profile.Volume) []byte {
	source, rest, longest := "", "", -1
	for _, v := range volumes {
		target := path.Clean(v.Target)
		below, ok := strings.CutPrefix(name, strings.TrimSuffix(target, "/")+"/")
		if name == target {
			below, ok = "", true
		}
		if ok && len(target) > longest {
			longest, source, rest = len(target), v.Source, below
			if v.Named {
				source = ""
			}
		}
	}
	if source == "" {
		return nil
	}
	if rest == "" {
		source, rest = filepath.Dir(source), filepath.Base(source)
	}
	root, err := os.OpenRoot(source)
	if err != nil {
		return nil
	}
	defer root.Close()
	fi, err := root.Stat(rest)
	if err != nil || fi.Size() > maxExcludes {
		return nil
	}
	data, err := store.ReadRegular(root, rest)
	if err != nil {
		return nil
	}
	return data
}

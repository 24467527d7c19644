//go:build linux

package main

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// config prints each file under its path. Without arguments these are the
// places where agent types read their MCP configuration; missing ones are
// left out then, and it is an error when there is none.
func config(paths []string) int {
	if len(paths) > 0 {
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				return fail(err)
			}
			fmt.Printf("== %s\n%s", p, data)
		}
		return 0
	}
	home := os.Getenv("HOME")
	found := false
	for _, p := range []string{
		".mcp.json", ".acpxrc.json",
		filepath.Join(home, ".copilot/mcp-config.json"),
		filepath.Join(home, ".codex/config.toml"),
		filepath.Join(home, ".gemini/settings.json"),
		filepath.Join(home, ".qwen/settings.json"),
		filepath.Join(home, ".config/opencode/opencode.json"),
		filepath.Join(home, ".config/amp/settings.json"),
	} {
		data, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		found = true
		fmt.Printf("== %s\n%s", p, data)
	}
	if !found {
		fmt.Println("no MCP configuration")
		return 1
	}
	return 0
}

func env(names []string) int {
	if len(names) == 0 {
		all := os.Environ()
		slices.Sort(all)
		for _, v := range all {
			fmt.Println(v)
		}
		return 0
	}
	code := 0
	for _, name := range names {
		v, ok := os.LookupEnv(name)
		if !ok {
			fmt.Printf("%s is not set\n", name)
			code = 1
			continue
		}
		fmt.Printf("%s=%s\n", name, v)
	}
	return code
}

func args(args []string) int {
	for _, a := range args {
		fmt.Printf("%q\n", a)
	}
	return 0
}

func whoami([]string) int {
	groups, err := os.Getgroups()
	if err != nil {
		return fail(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		return fail(err)
	}
	fmt.Printf("pid %d uid %d gid %d groups %v home %s cwd %s\n",
		os.Getpid(), os.Getuid(), os.Getgid(), groups, os.Getenv("HOME"), wd)
	return 0
}

func stat(paths []string) int {
	code := 0
	for _, p := range paths {
		info, err := os.Lstat(p)
		if err != nil {
			fmt.Printf("missing %s: %v\n", p, err)
			code = 1
			continue
		}
		fmt.Println(describe(p, info))
	}
	return code
}

func tree(paths []string) int {
	for _, root := range paths {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Println(describe(p, info))
			return nil
		})
		if err != nil {
			return fail(err)
		}
	}
	return 0
}

func describe(path string, info fs.FileInfo) string {
	kind := "file"
	switch info.Mode().Type() {
	case fs.ModeDir:
		kind = "dir"
	case fs.ModeSymlink:
		kind = "link"
	case 0:
	default:
		kind = "other"
	}
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%s %04o %d %d %d %s", kind, info.Mode().Perm(), st.Uid, st.Gid, info.Size(), path)
}

func cat(paths []string) int {
	if len(paths) == 0 {
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return fail(err)
		}
		return 0
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return fail(err)
		}
		if _, err := os.Stdout.Write(data); err != nil {
			return fail(err)
		}
	}
	return 0
}

func write(args []string) int {
	if len(args) != 2 {
		return fail(fmt.Errorf("write takes PATH and TEXT"))
	}
	if err := os.WriteFile(args[0], []byte(args[1]), 0o644); err != nil {
		return fail(err)
	}
	return 0
}

func replace(args []string) int {
	if len(args) != 2 {
		return fail(fmt.Errorf("replace takes PATH and TEXT"))
	}
	tmp := args[0] + ".new"
	if code := write([]string{tmp, args[1]}); code != 0 {
		return code
	}
	if err := os.Rename(tmp, args[0]); err != nil {
		os.Remove(tmp)
		return fail(err)
	}
	return 0
}

func remove(paths []string) int {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			return fail(err)
		}
	}
	return 0
}

func mounts([]string) int {
	data, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return fail(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		fmt.Println(fields[1], fields[2], fields[3])
	}
	return 0
}

func listen(args []string) int {
	if len(args) != 1 {
		return fail(fmt.Errorf("listen takes an ADDRESS"))
	}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return fail(err)
	}
	fmt.Println("ready")
	for {
		conn, err := l.Accept()
		if err != nil {
			return fail(err)
		}
		fmt.Fprintln(conn, "hello from", args[0])
		conn.Close()
	}
}

func dial(args []string) int {
	if len(args) != 1 {
		return fail(fmt.Errorf("dial takes an ADDRESS"))
	}
	conn, err := net.Dial("tcp", args[0])
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	if _, err := io.Copy(os.Stdout, conn); err != nil {
		return fail(err)
	}
	return 0
}

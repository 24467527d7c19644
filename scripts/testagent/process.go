//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func exit(args []string) int { return number(args, 0, 0) }

// die is killed by a signal. The kernel keeps pid 1 from its own signals, so
// as pid 1 a child dies, and 128+n is the code as a shell would have it.
func die(args []string) int {
	if len(args) != 1 {
		return fail(fmt.Errorf("die takes a SIGNAL"))
	}
	sig := unix.SignalNum(args[0])
	if sig == 0 {
		return fail(fmt.Errorf("no signal %q", args[0]))
	}
	if os.Getpid() == 1 {
		cmd := exec.Command("/proc/self/exe", "die", args[0])
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Run()
		return 128 + int(sig)
	}
	signal.Reset(sig)
	syscall.Kill(os.Getpid(), sig)
	time.Sleep(time.Second)
	return fail(fmt.Errorf("%s did not kill", args[0]))
}

func out(args []string) int {
	if len(args) > 0 {
		fmt.Fprintln(os.Stdout, args[0])
	}
	if len(args) > 1 {
		fmt.Fprintln(os.Stderr, args[1])
	}
	return 0
}

func sleep(args []string) int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	fmt.Println("ready")
	select {
	case s := <-c:
		return 128 + int(s.(syscall.Signal))
	case <-time.After(time.Duration(number(args, 0, 0)) * time.Second):
		return 0
	}
}

func ignore(args []string) int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	fmt.Println("ready")
	time.Sleep(time.Duration(number(args, 0, 0)) * time.Second)
	return 0
}

func signals(args []string) int {
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH)
	fmt.Println("ready")
	for range number(args, 0, 1) {
		fmt.Println(unix.SignalName((<-c).(syscall.Signal)))
	}
	return 0
}

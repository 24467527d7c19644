//go:build linux

package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"
)

// burst writes the bytes of a ChaCha8 stream whose seed is SEED (0 unless
// given) in the first byte: runnertest.BurstHash knows what they hash to.
func burst(args []string) int {
	src := rand.NewChaCha8([32]byte{byte(number(args, 1, 0))})
	block := make([]byte, 1<<20)
	for range number(args, 0, 1) {
		src.Read(block)
		if _, err := os.Stdout.Write(block); err != nil {
			return fail(err)
		}
	}
	return 0
}

func hash([]string) int {
	h := sha256.New()
	n, err := io.Copy(h, os.Stdin)
	if err != nil {
		return fail(err)
	}
	fmt.Printf("%d %x\n", n, h.Sum(nil))
	return 0
}

// await reads byte by byte: what follows the line is the role's.
func await(args []string) int {
	if len(args) == 0 {
		return fail(fmt.Errorf("await takes a ROLE"))
	}
	for b := make([]byte, 1); b[0] != '\n'; {
		if _, err := os.Stdin.Read(b); err != nil {
			return fail(err)
		}
	}
	return play(args)
}

func lines(args []string) int {
	pause := time.Duration(number(args, 1, 0)) * time.Millisecond
	w := bufio.NewWriter(os.Stdout)
	for i := range number(args, 0, 1) {
		fmt.Fprintln(w, "line", i+1)
		if pause > 0 {
			w.Flush()
			time.Sleep(pause)
		}
	}
	if err := w.Flush(); err != nil {
		return fail(err)
	}
	return 0
}

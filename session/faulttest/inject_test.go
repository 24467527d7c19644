//go:build linux

package faulttest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
)

func (c *cell) signal(n syscall.Signal) error {
	defer time.Sleep(settle)
	return syscall.Kill(c.heretic.pid, n)
}

// killEngine kills the engine. It comes back at once where heretic is not
// waiting for an answer of it, and otherwise after heretic has ended.
func (c *cell) killEngine() error {
	if err := c.eng.kill(); err != nil {
		return err
	}
	c.proxy.close()
	if c.phase == resolving || c.phase == running || c.phase == detaching {
		return c.restartEngine()
	}
	return nil
}

func (c *cell) restartEngine() error {
	if !c.proxy.isClosed() {
		return nil
	}
	return errors.Join(c.eng.restart(), c.proxy.open())
}

func (c *cell) filler() string { return filepath.Join(c.project, "filler") }

func (c *cell) fillDisk() error {
	f, err := os.Create(c.filler())
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 512)); errors.Is(err, syscall.ENOSPC) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (c *cell) freeDisk() error {
	// While there is no room, one can still look.
	_, err := c.command(0, "ps", "--json")
	return errors.Join(err, os.Remove(c.filler()))
}

func (c *cell) removeImage() error {
	_, err := c.eng.cli.ImageRemove(context.Background(), c.tag, image.RemoveOptions{Force: true})
	return err
}

func (c *cell) tagImage() error { return c.eng.cli.ImageTag(context.Background(), c.eng.image, c.tag) }

// takeName creates a container that is none of heretic's under the name that
// the session's will have.
func (c *cell) takeName() error {
	other, err := c.eng.cli.ContainerInspect(context.Background(), c.bystander)
	if err != nil {
		return err
	}
	name := strings.Replace(other.Name, "bystander", "main", 1)
	made, err := c.eng.cli.ContainerCreate(context.Background(), &container.Config{Image: c.eng.image}, nil, nil, nil, name)
	c.foreign = made.ID
	return err
}

// giveNameBack removes that container, which must not have been touched.
func (c *cell) giveNameBack() error {
	return c.eng.cli.ContainerRemove(context.Background(), c.foreign, container.RemoveOptions{})
}

func (c *cell) failAttach() error {
	if c.phase < starting {
		c.proxy.set(&c.proxy.fail, callAttach)
		return nil
	}
	c.proxy.cut()
	_, err := c.heretic.keys.WriteString("x") // that goes nowhere
	return err
}

func (c *cell) failStart() error {
	if c.phase < starting {
		c.proxy.set(&c.proxy.fail, callStart)
	} else {
		c.proxy.set(&c.proxy.drop, callStart)
	}
	return nil
}

package runner

import (
	"errors"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	timetypes "github.com/docker/docker/api/types/time"

	"heretic/runner/internal/term"
)

// Check finds what every engine would refuse about a Spec, as far as its text
// shows: the image's name, ports, hosts, name servers, devices, limits and
// targets of mounts. What is empty is not looked at. It reads no file and asks
// no engine.
func Check(s Spec) error {
	errs := []error{options(s, new(created))}
	if s.Image != "" {
		if _, err := reference.ParseNormalizedNamed(s.Image); err != nil {
			errs = append(errs, &specError{what: "image", value: s.Image, err: plainReason(err)})
		}
	}
	for _, v := range s.DNS {
		if _, err := netip.ParseAddr(v); err != nil {
			errs = append(errs, &specError{what: "name server", value: v, err: errors.New("not an IP address")})
		}
	}
	for target := range s.Tmpfs {
		if !path.IsAbs(target) {
			errs = append(errs, &specError{what: "tmpfs", value: target, err: errors.New("not an absolute path"), hint: "write it like /scratch or /scratch:size=64m"})
		}
	}
	if parts := strings.Split(s.Platform, "/"); s.Platform != "" && (len(parts) > 3 || slices.Contains(parts, "")) {
		errs = append(errs, &specError{what: "platform", value: s.Platform, err: errors.New("not a platform"), hint: "write it like linux/amd64"})
	}
	return errors.Join(errs...)
}

// plainReason leaves out the grammar that the package shows with some errors.
func plainReason(err error) error {
	if errors.Is(err, reference.ErrReferenceInvalidFormat) {
		return fmt.Errorf("not the name of an image")
	}
	return err
}

// CheckSince returns an error for text that is neither a time nor a duration,
// as [LogsOptions] takes it.
func CheckSince(since string) error {
	s, err := timetypes.GetTimestamp(since, time.Now())
	if err == nil {
		_, _, err = timetypes.ParseTimestamps(s, 0)
	}
	if err != nil {
		return errors.New("want a time like 2026-01-02T15:04:05, or a duration like 10m")
	}
	return nil
}

// CheckDetachKeys returns an error for text that is no sequence of keys, as
// docker writes it: "ctrl-],d".
func CheckDetachKeys(keys string) error {
	_, err := term.ParseKeys(keys)
	return err
}

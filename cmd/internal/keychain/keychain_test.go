package keychain

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := within(t.Context(), func() (string, error) {
			time.Sleep(Limit + time.Second)
			return "late", nil
		})
		if !errors.Is(err, ErrNoAnswer) || time.Since(start) != Limit {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		time.Sleep(Limit) // until the call has ended, too
	})
}

func TestInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := within(t.Context(), func() (string, error) {
			time.Sleep(Limit - time.Second)
			return "value", nil
		})
		if got != "value" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("somebody pressed ctrl-c")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel(reason)
		}()
		if _, err := within(ctx, func() (string, error) {
			time.Sleep(Limit)
			return "", nil
		}); !errors.Is(err, reason) {
			t.Errorf("got %v", err)
		}
		time.Sleep(Limit)
	})
}

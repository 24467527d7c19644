package doc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestTOMLBoundsTables(t *testing.T) {
	var b strings.Builder
	for i := range maxTables {
		fmt.Fprintf(&b, " [t%d]\n", i)
	}
	if err := boundTables([]byte(b.String())); err != nil {
		t.Errorf("%d tables: %v", maxTables, err)
	}
	b.WriteString("\t[more]\n")
	_, err := TOML([]byte(b.String()))
	if se, ok := errors.AsType[*SyntaxError](err); !ok || se.Line != maxTables+1 || !strings.Contains(se.Reason, "more than 20000 tables") {
		t.Errorf("one more: %v", err)
	}
}

package ui

import (
	"strings"
	"text/tabwriter"
)

// Table prints rows to standard output: aligned and with a header on a
// terminal, else as tab-separated values that a program can split.
func (s *Streams) Table(header []string, rows [][]string) error {
	var b strings.Builder
	write := func(row []string) {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Clean(cell))
		}
		b.WriteByte('\n')
	}
	if s.OutTTY && len(rows) > 0 {
		write(header)
	}
	for _, row := range rows {
		write(row)
	}
	if !s.OutTTY {
		_, err := s.Out.Write([]byte(b.String()))
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 3, ' ', 0)
	if _, err := w.Write([]byte(b.String())); err != nil {
		return err
	}
	return w.Flush()
}

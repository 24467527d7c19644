package ui

import (
	"bytes"
	"text/tabwriter"
)

// Table prints rows to standard output: aligned and with a header on a
// terminal, else as tab-separated values that a program can split.
func (s *Streams) Table(header []string, rows [][]string) error {
	if !s.OutTTY {
		return s.Rows(rows)
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 3, ' ', 0)
	if _, err := w.Write(tabbed(append([][]string{header}, rows...))); err != nil {
		return err
	}
	return w.Flush()
}

// Rows prints rows as tab-separated values.
func (s *Streams) Rows(rows [][]string) error {
	_, err := s.Out.Write(tabbed(rows))
	return err
}

func tabbed(rows [][]string) []byte {
	var b bytes.Buffer
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Clean(cell))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

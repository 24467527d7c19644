package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"
)

// row is one comparison of the table.
type row struct {
	what         string
	ours, theirs string
	against      string
	ratio        float64 // 0: no comparison
	goal         float64 // the ratio must not be above; 0: none
	note         string  // instead of ratio and goal
}

// compare makes a row of what two subjects took.
func compare(what, against string, ours, theirs []sample, quantity func(sample) float64, format func(float64) string, goal float64) row {
	return row{
		what: what, against: against, goal: goal,
		ours: format(median(each(ours, quantity))), theirs: format(median(each(theirs, quantity))),
		ratio: ratio(ours, theirs, quantity),
	}
}

func millis(v float64) string {
	if v < 20e6 {
		return fmt.Sprintf("%.1f ms", v/1e6)
	}
	return fmt.Sprintf("%.0f ms", v/1e6)
}

func seconds(v float64) string { return fmt.Sprintf("%.2f s", v/float64(time.Second)) }

func mebibytes(v float64) string { return fmt.Sprintf("%.1f MiB", v/(1<<20)) }

func (r row) String() string {
	if r.ratio == 0 {
		return fmt.Sprintf("| %s | %s | %s | %s | %s | |", r.what, r.ours, r.against, r.theirs, r.note)
	}
	goal, met := "", ""
	if r.goal > 0 {
		goal, met = fmt.Sprintf("≤ %.2f", r.goal), "met"
		if r.ratio > r.goal {
			met = "**missed**"
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %.3f | %s %s |", r.what, r.ours, r.against, r.theirs, r.ratio, goal, met)
}

const heading = "| what | heretic | against | takes | ratio | goal |\n|---|---|---|---|---|---|\n"

func table(rows []row) string {
	var b strings.Builder
	b.WriteString(heading)
	for _, r := range rows {
		b.WriteString(r.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// The table in a document stands between these lines.
const (
	begin = "<!-- make bench writes from here -->\n"
	end   = "<!-- to here -->\n"
)

// insert replaces what is between the marks of a document.
func insert(file, text string) error {
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(doc, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: the marks of the table are missing", file)
	}
	out := string(before) + begin + "\n" + text + "\n" + end + string(after)
	return os.WriteFile(file, []byte(out), 0o644)
}

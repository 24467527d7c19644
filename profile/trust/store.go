package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heretic/profile/internal/fsread"
)

// Store remembers approvals below HereticHome, one file for each project and
// agent, readable by the user alone.
type Store struct{ HereticHome string }

// Record is one approval.
type Record struct {
	Project  string    `json:"project"` // its real path
	Agent    string    `json:"agent"`
	Hash     string    `json:"hash"`
	Approved time.Time `json:"approved"`
	Powers   []Power   `json:"powers"`
}

// Decision is what an approval leaves open.
type Decision struct {
	Asks    []Power // need the user's approval and do not have it
	Gone    []Power // approved earlier, and no longer asked for
	Known   bool    // this project and agent were approved before
	granted map[string]bool
}

// Approved tells whether everything that needs approval has it.
func (d Decision) Approved() bool { return len(d.Asks) == 0 }

// Granted tells whether exactly this power was approved.
func (d Decision) Granted(p Power) bool { return d.granted[p.Digest] && p.Approvable() }

// GrantedAll tells whether every power of a kind was approved; so it is when
// there is none.
func (d Decision) GrantedAll(powers []Power, kind string) bool {
	for _, p := range powers {
		if p.Kind == kind && !d.Granted(p) {
			return false
		}
	}
	return true
}

const maxRecord = 8 << 20

func (s Store) dir() string { return filepath.Join(s.HereticHome, "trust") }

func (s Store) file(project, agent string) string {
	sum := sha256.Sum256([]byte(project + "\x00" + agent))
	return filepath.Join(s.dir(), hex.EncodeToString(sum[:16])+".json")
}

// Compare holds powers against what was approved for the project (its real
// path) and agent.
func (s Store) Compare(project, agent string, powers []Power) (Decision, error) {
	d := Decision{granted: map[string]bool{}}
	r, err := s.read(s.file(project, agent))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return d, err
	case r.Project == project && r.Agent == agent:
		d.Known = true
	}
	if d.Known {
		for _, p := range r.Powers {
			d.granted[p.Digest] = true
			if !slices.ContainsFunc(powers, func(q Power) bool { return q.Digest == p.Digest }) {
				d.Gone = append(d.Gone, p)
			}
		}
	}
	for _, p := range powers {
		if !p.Free && !d.Granted(p) {
			d.Asks = append(d.Asks, p)
		}
	}
	return d, nil
}

// Grant is a decision that approves everything, for this run only.
func Grant(powers []Power) Decision {
	d := Decision{granted: map[string]bool{}}
	for _, p := range powers {
		d.granted[p.Digest] = true
	}
	return d
}

// Approve records exactly these powers; what was approved earlier and is not
// among them no longer is.
func (s Store) Approve(project, agent string, powers []Power) error {
	kept := slices.DeleteFunc(slices.Clone(powers), func(p Power) bool { return !p.Approvable() })
	r := Record{Project: project, Agent: agent, Hash: Hash(kept), Approved: time.Now().UTC().Truncate(time.Second), Powers: kept}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir(), 0o700); err != nil {
		return err
	}
	return writeFile(s.file(project, agent), append(data, '\n'))
}

// writeFile replaces a file at once; only the user may read it.
func writeFile(file string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// List returns all approvals, by project and agent.
func (s Store) List() ([]Record, error) {
	entries, err := os.ReadDir(s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var records []Record
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		r, err := s.read(filepath.Join(s.dir(), e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b Record) int {
		if c := strings.Compare(a.Project, b.Project); c != 0 {
			return c
		}
		return strings.Compare(a.Agent, b.Agent)
	})
	return records, nil
}

// Revoke takes back the approvals of a project, for one agent or, when agent
// is "", for all. It returns what it took back.
func (s Store) Revoke(project, agent string) ([]Record, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	var gone []Record
	for _, r := range all {
		if r.Project != project || agent != "" && r.Agent != agent {
			continue
		}
		if err := os.Remove(s.file(r.Project, r.Agent)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, err
		}
		gone = append(gone, r)
	}
	return gone, nil
}

func (s Store) read(file string) (Record, error) {
	var r Record
	data, err := fsread.File(file, maxRecord)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: damaged; delete it and approve again: %w", file, err)
	}
	return r, nil
}

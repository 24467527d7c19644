package main

import "context"

// startup compares what the shell waits for at every command and every Tab.
func (b *bench) startup(ctx context.Context) ([]row, error) {
	n := b.pairs * 4
	s, err := b.alternate(ctx, n,
		subject{argv: []string{b.bin("heretic"), "--help"}},
		subject{argv: []string{b.bin("heretic"), "__complete", "run", ""}},
		subject{argv: []string{b.bin("empty")}},
		subject{argv: []string{"docker", "--version"}},
	)
	if err != nil {
		return nil, err
	}
	help, complete, empty, docker := s[0], s[1], s[2], s[3]
	return []row{
		compare("`heretic --help`", "empty binary, same modules", help, empty, wall, millis, 1.2),
		compare("`heretic --help`", "`docker --version`", help, docker, wall, millis, 0.5),
		compare("completion of an agent's name", "empty binary, same modules", complete, empty, wall, millis, 1.2),
		compare("completion of an agent's name", "`docker --version`", complete, docker, wall, millis, 0.5),
	}, nil
}

package series

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestABacklogGivesBackWhatItWasGivenInWholeLines(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		var backlog backlog
		var given, taken []byte
		for range 40 {
			lines := randomLines(random)
			backlog.add(lines)
			given = append(given, lines...)
			part := backlog.first(1 + random.IntN(60))
			if len(part) > 0 && part[len(part)-1] != '\n' {
				t.Fatalf("seed %d: %q is no whole lines", seed, part)
			}
			cut := random.IntN(len(part) + 1) // somewhere within a line, too
			taken = append(taken, part[:cut]...)
			backlog.drop(cut)
			if want := len(given) - len(taken); backlog.size != want {
				t.Fatalf("seed %d: holds %d bytes, should %d", seed, backlog.size, want)
			}
		}
		if rest := backlog.first(1 << 20); !bytes.Equal(append(taken, rest...), given) {
			t.Fatalf("seed %d: got others than given", seed)
		}
	}
}

func TestALineLongerThanTheLimitIsGivenWhole(t *testing.T) {
	var backlog backlog
	backlog.add([]byte("a long line\nb\n"))
	if got := string(backlog.first(5)); got != "a long line\n" {
		t.Errorf("got %q", got)
	}
}

func randomLines(random *rand.Rand) []byte {
	var lines []byte
	for range random.IntN(4) {
		lines = append(append(lines, bytes.Repeat([]byte{'x'}, random.IntN(40))...), '\n')
	}
	return lines
}

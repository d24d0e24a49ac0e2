package bounds

import (
	"strings"
	"testing"
)

func reads(text string, levels, part int) bool {
	depth := nesting{levelsMax: levels}
	for len(text) > 0 {
		n := min(part, len(text))
		if !depth.read([]byte(text[:n])) {
			return false
		}
		text = text[n:]
	}
	return true
}

func TestNestingIsCountedOutsideOfStringsAlone(t *testing.T) {
	for _, c := range []struct {
		text string
		fits bool
	}{
		{`[[[]]]`, true},
		{`[[[[]]]]`, false},
		{` {"a":{"b":[]}}`, true},
		{"\n\t\r [{\"a\":[[1]]}]", false},
		{`[[],[],[],[]]`, true},
		{`["[[[[[", "\"[[[[", "\\", [[]]]`, true},
		{`["\\", [[[]]]]`, false},
		{`["]]]]", [[[]]]]`, false},
		{`<script>[[[[[[`, true}, // JSON.parse refuses it at once
		{`"[[[[[["`, true},
		{``, true},
		{strings.Repeat("[", 5_000_000), false},
	} {
		for _, part := range []int{1, 2, 1 << 20} {
			if got := reads(c.text, 3, part); got != c.fits {
				t.Errorf("%.40s in parts of %d: fits %v, want %v", c.text, part, got, c.fits)
			}
		}
	}
}

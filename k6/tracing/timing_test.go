package tracing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestServerTimingIsReadByItsGrammar(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  []Part
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{"db;dur=53.2"}, []Part{{"db", 53.2}}},
		{[]string{"cache;desc=\"Cache Read\";dur=23.2, app ; DUR = 47 ;x=y"}, []Part{{"cache", 23.2}, {"app", 47}}},
		{[]string{`a;desc="x, b;dur=1; \" c";dur=2, d;dur="3"`}, []Part{{"a", 2}, {"d", 3}}},
		{[]string{"a;dur=1, b;dur=2", "a;dur=4"}, []Part{{"a", 5}, {"b", 2}}},
		{[]string{"miss, hit;desc=x, a;dur=1;dur=9"}, []Part{{"a", 1}}},
		{[]string{"a;dur=0,,;dur=3, b;dur=.5"}, []Part{{"a", 0}, {"b", 0.5}}},
		{[]string{"a;dur=-1, b;dur=1e3, c;dur=NaN, d;dur=Inf, e;dur=0x10, f;dur=1_0, g;dur=, h;dur, i;dur=1.2.3"}, nil},
		{[]string{"a;dur=3600000, b;dur=3600000.1, c;dur=" + strings.Repeat("0", 21)}, []Part{{"a", 3_600_000}}},
		{[]string{"a<b;dur=1, \"q\";dur=1, ä;dur=1, a b;dur=1, " + strings.Repeat("n", 33) + ";dur=1, ok.-_9;dur=1"}, []Part{{"ok.-_9", 1}}},
		{[]string{`a;desc="never closed, b;dur=1`}, nil},
		{[]string{"a;dur=1," + strings.Repeat(" ", headerMax)}, nil},
	} {
		if got := ParseServerTiming(c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%.80q: %v, want %v", c.lines, got, c.want)
		}
	}
}

func TestOnlySomePartsAreKept(t *testing.T) {
	var entries []string
	for i := range 100 {
		entries = append(entries, fmt.Sprintf("p%d;dur=1", i))
	}
	parts := ParseServerTiming([]string{strings.Join(append(entries, "p0;dur=1"), ",")})
	if len(parts) != partsMax || parts[0] != (Part{"p0", 2}) {
		t.Error(parts)
	}
}

func FuzzPartsAreFewShortAndFinite(f *testing.F) {
	for _, seed := range []string{"db;dur=1", `a;desc="\\";dur=2,b`, ";;;,,,===\"", "a;dur=99999999999999999999", "\x00\xff;dur=1"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		parts := ParseServerTiming([]string{first, second})
		names := map[string]bool{}
		for _, part := range parts {
			if !isName(part.Name) || names[part.Name] || math.IsNaN(part.Ms) || part.Ms < 0 || part.Ms > durationMsMax {
				t.Fatalf("%q %q: %v", first, second, part)
			}
			names[part.Name] = true
		}
		if len(parts) > partsMax {
			t.Fatalf("%d parts", len(parts))
		}
	})
}

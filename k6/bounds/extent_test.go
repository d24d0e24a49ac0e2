package bounds

import (
	"fmt"
	"strings"
	"testing"
)

func measure(text string, part int) string {
	e := newExtent(limits{JSONLevelsMax: 3, JSONValuesMax: 8})
	defer e.close()
	for len(text) > 0 {
		n := min(part, len(text))
		if err := e.read([]byte(text[:n])); err != nil {
			return err.Error()
		}
		text = text[n:]
	}
	return ""
}

func TestLevelsAndValuesAreCountedOutsideOfStringsAlone(t *testing.T) {
	const deep, many = "JSON nested deeper than 3 levels", "JSON of more than 8 values"
	for _, c := range []struct{ text, want string }{
		{`[[[]]]`, ""},
		{`[[[[]]]]`, deep},
		{` {"a":{"b":[]}}`, ""},
		{"\n\t\r [{\"a\":[[1]]}]", deep},
		{`[[],[],[]]`, ""},
		{`["[[[[[", "\"[[[[", "\\", [[]]]`, ""},
		{`["\\", [[[]]]]`, deep},
		{`["]]]]", [[[]]]]`, deep},
		{`[1,2,3,4,5,6,7,8]`, ""},
		{`[1,2,3,4,5,6,7,8,9]`, many},
		{`[",,,,,,,,,,,,"]`, ""},
		{`[{},{},{},{}]`, ""},
		{`[{},{},{},{},{}]`, many},
		{`<script>[[[[[[,,,,,,,,`, ""}, // JSON.parse rejects it at once
		{`"[[[[[["`, ""},
		{``, ""},
		{`x,,,,,,,,,,,,,,`, ""},
		{strings.Repeat("[", 5_000_000), deep},
	} {
		for _, part := range []int{1, 2, 1 << 20} {
			if got := measure(c.text, part); got != c.want {
				t.Error(fmt.Sprintf("%.40s in parts of %d: %q, want %q", c.text, part, got, c.want))
			}
		}
	}
}

func BenchmarkAPage(b *testing.B)       { benchmarkPage(b, 1000) }
func BenchmarkAPageInFull(b *testing.B) { benchmarkPage(b, 2) }

func benchmarkPage(b *testing.B, levels int) {
	row := `{"key":"123456789field","token0":"987654321field","fee":3000,"liquidity":"12345678901234567890","price":"1.0023","tvl":"123.45","volume":"99.1"}`
	page := []byte(`[` + strings.Repeat(row+",", 499) + row + `]`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		e := newExtent(limits{JSONLevelsMax: levels, JSONValuesMax: 100_000})
		if err := e.read(page); err != nil {
			b.Fatal(err)
		}
		e.close()
	}
}

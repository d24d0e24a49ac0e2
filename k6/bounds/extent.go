package bounds

import (
	"bytes"
	"fmt"
	"sync"
)

// extent follows how deep a text nests, and how many values it has, if it is JSON: as it arrives, in linear time, and without memory.
// Parsers recurse, and for each value take some hundred bytes, be it two characters long. A text that is not JSON may seem to have more
// of both, but only if it begins as an object or a list does.
type extent struct {
	limits limits
	// The beginning, while it cannot be beyond the limits, by how many objects and lists begin in it; nil past that.
	start *bytes.Buffer
	marks int

	levels   int
	values   int
	begun    bool // past the white space at the beginning
	ignored  bool // it begins as nothing that nests
	inString bool
	escaped  bool
}

var starts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// read goes on with the next part. An error says what there is too much of. Every body of a load comes by here, and most have fewer
// objects and lists than there may be levels: to count these takes a tenth of the time.
func (e *extent) read(part []byte) error {
	if e.start != nil {
		e.marks += bytes.Count(part, []byte{'{'}) + bytes.Count(part, []byte{'['})
		// Each value takes a byte.
		if e.marks <= e.limits.JSONLevelsMax && e.start.Len()+len(part) <= e.limits.JSONValuesMax {
			e.start.Write(part)
			return nil
		}
		start := e.start
		e.start = nil
		err := e.measure(start.Bytes())
		free(start)
		if err != nil {
			return err
		}
	}
	return e.measure(part)
}

// newExtent is to be closed.
func newExtent(limits limits) extent {
	return extent{limits: limits, start: starts.Get().(*bytes.Buffer)}
}

func (e *extent) close() {
	if e.start != nil {
		free(e.start)
		e.start = nil
	}
}

func free(start *bytes.Buffer) {
	start.Reset()
	starts.Put(start)
}

// measure counts what is in the next part: with local variables and a table, which is three times as fast.
func (e *extent) measure(part []byte) error {
	if !e.begun && !e.begin(part) {
		return nil
	}
	levels, values, inString, escaped := e.levels, e.values, e.inString, e.escaped
	for at := 0; at < len(part); at++ {
		char := part[at]
		if inString {
			if escaped {
				escaped = false
			} else if char == '"' {
				inString = false
			} else if char == '\\' {
				escaped = true
			}
			continue
		}
		switch kinds[char] {
		case opens:
			values++
			if levels++; levels > e.limits.JSONLevelsMax {
				return fmt.Errorf("JSON nested deeper than %d levels", e.limits.JSONLevelsMax)
			}
		case closes:
			levels--
		case separates:
			values++
		case quotes:
			inString = true
		}
	}
	e.levels, e.values, e.inString, e.escaped = levels, values, inString, escaped
	if values > e.limits.JSONValuesMax {
		return fmt.Errorf("JSON of more than %d values", e.limits.JSONValuesMax)
	}
	return nil
}

const (
	opens = iota + 1
	closes
	separates
	quotes
)

var kinds = [256]uint8{'{': opens, '[': opens, '}': closes, ']': closes, ',': separates, '"': quotes}

// begin is whether the text begins as something that nests; JSON.parse looks no further at what begins as nothing it knows.
func (e *extent) begin(part []byte) bool {
	for _, char := range part {
		if !isSpace(char) && !e.ignored {
			e.begun = char == '{' || char == '['
			e.ignored = !e.begun
			return e.begun
		}
	}
	return false
}

func isSpace(char byte) bool {
	return char == ' ' || char == '\n' || char == '\r' || char == '\t'
}

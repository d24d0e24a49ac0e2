package bounds

import (
	"bytes"
	"fmt"
	"sync"
)

// extent measures the nesting depth and the number of values of JSON text in a single pass, in linear time
// and constant memory. Parsers recurse, and allocate about 100 bytes even for a value of two characters.
// Invalid JSON may be overestimated, but only if it begins like an object or a list.
type extent struct {
	limits limits
	// Buffered beginning, while its count of opening brackets shows that it is within the limits; nil
	// afterwards.
	start *bytes.Buffer
	marks int

	levels   int
	values   int
	begun    bool // past the leading white space
	ignored  bool // does not begin with an object or a list
	inString bool
	escaped  bool
}

var starts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// read processes the next part and returns an error if a limit is exceeded. It runs for every body of a load,
// and most have fewer brackets than allowed levels: counting those takes a tenth of the time.
func (e *extent) read(part []byte) error {
	if e.start != nil {
		e.marks += bytes.Count(part, []byte{'{'}) + bytes.Count(part, []byte{'['})
		// Each value takes at least one byte.
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

// newExtent returns an extent that the caller must close.
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

// measure counts the next part. Local variables and a lookup table make it three times as fast.
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

// begin reports whether the text begins with an object or a list; JSON.parse stops early on anything else.
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

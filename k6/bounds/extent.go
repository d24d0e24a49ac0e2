package bounds

import "fmt"

// extent follows how deep a text nests, and how many values it has, if it is JSON: as it arrives, in linear time, and without memory.
// Parsers recurse, and for each value take some hundred bytes, be it two characters long. A text that is not JSON may seem to have more
// of both, but only if it begins as an object or a list does.
type extent struct {
	limits   limits
	levels   int
	values   int
	begun    bool // past the white space at the beginning
	ignored  bool // it begins as nothing that nests
	inString bool
	escaped  bool
}

// read goes on with the next part. An error says what there is too much of.
func (e *extent) read(part []byte) error {
	if e.ignored {
		return nil
	}
	for _, char := range part {
		switch {
		case e.inString:
			e.readInString(char)
		case char == '"' && e.begun:
			e.inString = true
		case char == '{' || char == '[':
			e.begun = true
			e.values++
			if e.levels++; e.levels > e.limits.JSONLevelsMax {
				return fmt.Errorf("JSON nested deeper than %d levels", e.limits.JSONLevelsMax)
			}
		case char == '}' || char == ']':
			e.levels--
		case char == ',':
			e.values++
		case !e.begun && !isSpace(char):
			e.ignored = true
			return nil
		}
	}
	if e.values > e.limits.JSONValuesMax {
		return fmt.Errorf("JSON of more than %d values", e.limits.JSONValuesMax)
	}
	return nil
}

func (e *extent) readInString(char byte) {
	switch {
	case e.escaped:
		e.escaped = false
	case char == '\\':
		e.escaped = true
	case char == '"':
		e.inString = false
	}
}

func isSpace(char byte) bool {
	return char == ' ' || char == '\n' || char == '\r' || char == '\t'
}

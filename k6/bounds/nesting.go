package bounds

// nesting follows how deep a text nests if it is JSON, as it arrives. Linear, and without memory: parsers recurse, this does not. A text
// that is not JSON may seem deeper than it is, but only if it begins as an object or a list does.
type nesting struct {
	levelsMax int
	depth     int
	begun     bool // past the white space at the beginning
	ignored   bool // it begins as nothing that nests
	inString  bool
	escaped   bool
}

// read goes on with the next part; false: it is too deep.
func (n *nesting) read(part []byte) bool {
	if n.ignored {
		return true
	}
	for _, char := range part {
		switch {
		case n.inString:
			n.readInString(char)
		case char == '"' && n.begun:
			n.inString = true
		case char == '{' || char == '[':
			n.begun = true
			if n.depth++; n.depth > n.levelsMax {
				return false
			}
		case char == '}' || char == ']':
			n.depth--
		case !n.begun && !isSpace(char):
			n.ignored = true
			return true
		}
	}
	return true
}

func (n *nesting) readInString(char byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case char == '\\':
		n.escaped = true
	case char == '"':
		n.inString = false
	}
}

func isSpace(char byte) bool {
	return char == ' ' || char == '\n' || char == '\r' || char == '\t'
}

package tracing

import (
	"strconv"
	"strings"
)

// Part is a named part of the time that a target spent on a request.
type Part struct {
	Name string
	Ms   float64
}

// Limits of what is read of a response: the text comes from the target.
const (
	partsMax      = 16
	headerMax     = 4096 // bytes of all its header lines
	nameMax       = 32
	durationMax   = 20        // characters
	durationMsMax = 3_600_000 // an hour
)

// ParseServerTiming reads the parts with a duration, in the order in which they first occur; those of one name add up. It skips
// entries that are not valid, and reads nothing of a header that is too long.
// https://www.w3.org/TR/server-timing/#the-server-timing-header-field
func ParseServerTiming(lines []string) []Part {
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	if size == 0 || size > headerMax {
		return nil
	}
	var parts []Part
	for _, line := range lines {
		for rest := line; rest != ""; {
			var entry string
			entry, rest = cutOutside(rest, ',')
			if name, ms, valid := parseEntry(entry); valid {
				parts = addPart(parts, name, ms)
			}
		}
	}
	return parts
}

func addPart(parts []Part, name string, ms float64) []Part {
	for i := range parts {
		if parts[i].Name == name {
			parts[i].Ms = min(parts[i].Ms+ms, durationMsMax)
			return parts
		}
	}
	if len(parts) == partsMax {
		return parts
	}
	return append(parts, Part{name, ms})
}

func parseEntry(entry string) (name string, ms float64, valid bool) {
	name, rest := cutOutside(entry, ';')
	name = trim(name)
	if !isName(name) {
		return "", 0, false
	}
	for rest != "" {
		var parameter string
		parameter, rest = cutOutside(rest, ';')
		key, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(trim(key), "dur") { // the first one counts
			ms, valid = parseDuration(unquote(trim(value)))
			return name, ms, valid
		}
	}
	return "", 0, false
}

func parseDuration(text string) (float64, bool) {
	if text == "" || len(text) > durationMax || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	ms, err := strconv.ParseFloat(text, 64)
	return ms, err == nil && ms <= durationMsMax
}

func isName(name string) bool {
	if name == "" || len(name) > nameMax {
		return false
	}
	for _, char := range []byte(name) {
		isLetter := char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z'
		if !isLetter && (char < '0' || char > '9') && char != '-' && char != '_' && char != '.' {
			return false
		}
	}
	return true
}

// cutOutside cuts at the first separator that is not in a quoted string.
func cutOutside(text string, separator byte) (before, after string) {
	quoted := false
	for at := 0; at < len(text); at++ {
		switch {
		case quoted && text[at] == '\\':
			at++
		case text[at] == '"':
			quoted = !quoted
		case !quoted && text[at] == separator:
			return text[:at], text[at+1:]
		}
	}
	return text, ""
}

func trim(text string) string { return strings.Trim(text, " \t") }

func unquote(text string) string {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}

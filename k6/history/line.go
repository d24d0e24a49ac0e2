package history

import (
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
)

// A kind of room: `room` is its name, or the beginning of it before a pool key or an address. Paths are dotted, or empty
// for none: `subject` leads to that key or address in an event, `identity` to the value that no two events share.
type kind struct{ room, event, subject, identity string }

// roomsMax bounds memory, whatever a socket subscribes to.
const roomsMax = 1000

// line records the frames of one socket:
//
//	A address                  authenticate, with the hash of the address of the ticket, if that is known
//	J kind subject, V          subscribe, unsubscribe
//	Y                          synchronize, until its control `synchronized`
//	E kind subject identity    an event, with a hash of all its text if it has an identity
//
// `kind` is a position in the table of kinds, instead of a status. Of the events without an identity, only the first
// of each joined room is recorded.
type line struct {
	log     *operationLog
	key     string
	kinds   []kind
	address int64
	joined  map[room]bool // true once an event was recorded
	asked   []int64       // synchronize frames without a control yet
}

type room struct {
	kind    int
	subject int64
}

const noSubject = -1

// follow returns functions for the frames of a socket; nothing without the output. They use sobek's native function type,
// because they run for each frame of a load.
func (i instance) follow(key string, table [][]string, address string) (any, error) {
	log := current.Load()
	if log == nil {
		return nil, nil
	}
	kinds := make([]kind, len(table))
	for index, row := range table {
		if len(row) != 4 {
			return nil, errors.New("history: a kind of room has a name, an event and two paths")
		}
		kinds[index] = kind{row[0], row[1], escape(row[2]), escape(row[3])}
	}
	followed := &line{log: log, key: key, kinds: kinds, address: noSubject, joined: map[room]bool{}}
	if address != "" {
		followed.address = hash(address, 32)
	}
	return map[string]any{
		"sent": func(call sobek.FunctionCall) sobek.Value {
			followed.sent(call.Argument(0).String())
			return sobek.Undefined()
		},
		"received": func(call sobek.FunctionCall) sobek.Value {
			followed.received(call.Argument(0).String(), call.Argument(1).ToInteger())
			return sobek.Undefined()
		},
	}, nil
}

func (f *line) sent(text string) {
	frame := gjson.Parse(text)
	name := frame.Get("room").Str
	switch frame.Get("action").Str {
	case "authenticate":
		f.log.moment("A", f.key, 0, [3]int64{0, f.address, noSubject})
	case "subscribe":
		if joined, isKnown := f.find(name); isKnown {
			f.log.moment("J", f.key, 0, [3]int64{int64(joined.kind), joined.subject, noSubject})
			if len(f.joined) < roomsMax {
				f.joined[joined] = false
			}
		}
	case "unsubscribe":
		if left, isKnown := f.find(name); isKnown {
			f.log.moment("V", f.key, 0, [3]int64{int64(left.kind), left.subject, noSubject})
			delete(f.joined, left)
		}
	case "synchronize":
		f.asked = append(f.asked, f.log.call("Y", f.key, -1))
	}
}

// received takes a frame that arrived at `timestamp`, in whole milliseconds, and may have waited for the VU since. An event must not
// seem to come before the frame that joined its room, so its time may be late, but never early.
func (f *line) received(text string, timestamp int64) {
	event := gjson.Get(text, "type").Str
	for index, kind := range f.kinds {
		if kind.event == event {
			f.event(index, text, time.Duration(max(0, time.Now().UnixMilli()-timestamp-1))*time.Millisecond)
			return
		}
	}
	if len(f.asked) > 0 && gjson.Get(text, "control").Str == "synchronized" {
		f.log.done(f.asked[0], 0, -1)
		f.asked = f.asked[1:]
	}
}

func (f *line) event(index int, text string, waited time.Duration) {
	kind := f.kinds[index]
	about := room{index, noSubject}
	if subject := pick(text, kind.subject); subject != "" {
		about.subject = hash(subject, 32)
	}
	identity := int64(noSubject)
	if pick(text, kind.identity) != "" {
		identity = hash(text, 53)
	}
	isSeen, isJoined := f.joined[about]
	if isSeen && identity == noSubject {
		return
	}
	if isJoined {
		f.joined[about] = true
	}
	f.log.moment("E", f.key, waited, [3]int64{int64(index), about.subject, identity})
}

// find returns the room of this name.
func (f *line) find(name string) (room, bool) {
	for index, kind := range f.kinds {
		subject, hasPrefix := strings.CutPrefix(name, kind.room)
		if !hasPrefix {
			continue
		}
		if !strings.HasSuffix(kind.room, ":") {
			return room{index, noSubject}, subject == ""
		}
		return room{index, hash(subject, 32)}, true
	}
	return room{}, false
}

// pick returns a string, or an integer as digits.
func pick(text, path string) string {
	if path == "" {
		return ""
	}
	value := gjson.Get(text, path)
	if value.Type == gjson.Number {
		if _, err := strconv.ParseInt(value.Raw, 10, 64); err != nil {
			return ""
		}
		return value.Raw
	}
	return value.Str
}

// escape keeps only the dots of a path special.
func escape(path string) string {
	names := strings.Split(path, ".")
	for index, name := range names {
		names[index] = gjson.Escape(name)
	}
	return strings.Join(names, ".")
}

// hash has few enough bits for a number of JavaScript. Names and texts of a target are hostile, so the log has only their hashes.
func hash(text string, bits int) int64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text))
	return int64(mix(sum.Sum64()) >> (64 - bits))
}

// mix spreads differences in the last characters over all bits (the finalizer of MurmurHash3).
func mix(sum uint64) uint64 {
	sum ^= sum >> 33
	sum *= 0xff51afd7ed558ccd
	sum ^= sum >> 33
	sum *= 0xc4ceb9fe1a85ec53
	return sum ^ sum>>33
}

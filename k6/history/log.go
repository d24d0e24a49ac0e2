package history

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// noOperation is the id of an operation that is not recorded.
const noOperation = 0

// operationLog writes a line per operation when it returns. Integers are in base 36, times in microseconds:
//
//	{"history":1,"startMs":1767323045678}
//	=session 12.3             the next key: keys are numbered from 0 in order of appearance
//	R0 2s 7ps 5k 4 5          kind and key, call since the previous call, duration, status, argument, value
//	U0 -b - 0 5               never returned
//	.done                     .full: the limit was reached; the operations before it are complete
//
// Times are those of a monotonic clock.
type operationLog struct {
	mutex    sync.Mutex
	file     io.WriteCloser
	lines    *bufio.Writer
	bytes    int64
	bytesMax int64
	start    time.Time
	lastCall int64
	lastID   int64
	keys     map[string]int64
	open     map[int64]operation
	isFull   bool
	failed   error
	line     []byte // reused
}

type operation struct {
	kind     string
	key      int64
	call     int64
	argument int64
}

func newLog(file io.WriteCloser, bytesMax int64) *operationLog {
	now := time.Now()
	log := &operationLog{
		file:     file,
		lines:    bufio.NewWriterSize(file, 1<<16),
		bytesMax: bytesMax,
		start:    now,
		keys:     map[string]int64{},
		open:     map[int64]operation{},
	}
	log.write(fmt.Appendf(nil, "{\"history\":1,\"startMs\":%d}\n", now.UnixMilli()))
	return log
}

func (l *operationLog) call(kind, key string, argument int64) int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.isFull {
		return noOperation
	}
	l.lastID++
	l.open[l.lastID] = operation{kind, l.number(key), l.now(), argument}
	return l.lastID
}

// number returns that of the key, and writes a key that is new.
func (l *operationLog) number(key string) int64 {
	number, isKnown := l.keys[key]
	if !isKnown {
		number = int64(len(l.keys))
		l.keys[key] = number
		l.write(append(append(append(l.line[:0], '='), key...), '\n'))
	}
	return number
}

func (l *operationLog) done(id, status, value int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	returned, isOpen := l.open[id]
	if !isOpen {
		return
	}
	delete(l.open, id)
	l.writeOperation(returned, l.now(), status, value)
	l.endIfFull()
}

func (l *operationLog) endIfFull() {
	if l.bytes > l.bytesMax {
		l.end(".full\n")
	}
}

// moment writes an operation that takes no time and began `ago`. Numbers are the status, the argument and the value.
func (l *operationLog) moment(kind, key string, ago time.Duration, numbers [3]int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.isFull {
		return
	}
	at := l.now() - ago.Microseconds()
	l.writeOperation(operation{kind, l.number(key), at, numbers[1]}, at, numbers[0], numbers[2])
	l.endIfFull()
}

func (l *operationLog) now() int64 { return time.Since(l.start).Microseconds() }

// writeOperation writes a line; a negative `returned` means never.
func (l *operationLog) writeOperation(o operation, returned, status, value int64) {
	line := append(l.line[:0], o.kind...)
	line = strconv.AppendInt(line, o.key, 36)
	line = strconv.AppendInt(append(line, ' '), o.call-l.lastCall, 36)
	if returned < 0 {
		line = append(line, " -"...)
	} else {
		line = strconv.AppendInt(append(line, ' '), returned-o.call, 36)
	}
	line = strconv.AppendInt(append(line, ' '), status, 36)
	if o.argument >= 0 || value >= 0 {
		line = strconv.AppendInt(append(line, ' '), o.argument, 36)
	}
	if value >= 0 {
		line = strconv.AppendInt(append(line, ' '), value, 36)
	}
	l.lastCall = o.call
	l.write(append(line, '\n'))
}

// write stops at the first error; the missing end line shows it.
func (l *operationLog) write(line []byte) {
	l.line = line
	if l.failed != nil {
		return
	}
	_, l.failed = l.lines.Write(line)
	l.bytes += int64(len(line))
}

// end writes what is under way. Whatever is called later cannot have an effect on what returned before, so the log
// is complete up to here.
func (l *operationLog) end(line string) {
	if l.isFull {
		return
	}
	l.isFull = true
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		l.writeOperation(l.open[id], -1, 0, -1)
	}
	clear(l.open)
	l.write([]byte(line))
}

func (l *operationLog) close() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.end(".done\n")
	if err := l.lines.Flush(); l.failed == nil {
		l.failed = err
	}
	if err := l.file.Close(); l.failed == nil {
		l.failed = err
	}
	return l.failed
}

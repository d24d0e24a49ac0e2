package bounds

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"go.k6.io/k6/v2/lib"
)

// sockets opens the connections of a VU's WebSockets. A connection is the only part of a WebSocket that k6 lets a module replace, and it
// may be encrypted, so that messages cannot be told apart in it. But it can be told how much of it the VU has heard.
type sockets struct {
	base     lib.DialContexter
	limit    int64
	patience time.Duration
	dialed   chan *line // the last one that nobody took
}

const (
	// patience is how long a line that is full waits for its VU.
	patience = 5 * time.Second
	lookWait = 10 * time.Millisecond
	// dialWait is for k6 to begin a dial once the WebSocket is made: some microseconds, and never if the address makes no sense.
	dialWait = time.Second
)

// Close errors, as they are the only ones of which k6 shows a script anything: the code and the text of its close event.
var (
	errTooLong = &websocket.CloseError{
		Code: websocket.CloseMessageTooBig,
		Text: "closed by the client: the message is too long, or the client too busy to read it",
	}
	errExtension = &websocket.CloseError{
		Code: websocket.CloseProtocolError,
		Text: "closed by the client: the server uses an extension that was not offered",
	}
)

func newSockets(base lib.DialContexter, limit int64) *sockets {
	return &sockets{base: base, limit: limit, patience: patience, dialed: make(chan *line, 1)}
}

// DialContext opens a connection that is bounded.
func (s *sockets) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	l := &line{limit: s.limit, patience: s.patience}
	s.takeDialed()
	select {
	case s.dialed <- l:
	default: // another dial came in between
	}
	base, err := s.base.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: base, line: l}, nil
}

func (s *sockets) takeDialed() {
	select {
	case <-s.dialed:
	default:
	}
}

// open makes a WebSocket, and returns its line. k6 dials in a goroutine of its own, and says nothing of which socket it dials for; as
// the VU makes one after the other, and waits here for its dial, it is this one.
func (s *sockets) open(construct func() error) (*line, error) {
	s.takeDialed()
	if err := construct(); err != nil {
		return nil, err
	}
	select {
	case l := <-s.dialed:
		return l, nil
	case <-time.After(dialWait):
		return &line{limit: s.limit, patience: s.patience}, nil
	}
}

// line counts what one connection received, and what of it its VU has heard. At the limit nothing more is read: a VU that is busy gets
// its time, at the expense of the target. If it hears nothing for as long as `patience`, the message in the making is too long, and the
// connection ends with an error.
type line struct {
	limit    int64
	patience time.Duration

	mutex    sync.Mutex
	received int64
	heard    int64
	reads    []readMark // those since the last message that was heard
	heardAt  time.Time
	failed   error // for good
}

// readMark is how much was received up to a millisecond.
type readMark struct {
	atMs     int64
	received int64
}

func (l *line) addReceived(bytes int, at time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.received += int64(bytes)
	mark := readMark{atMs: at.UnixMilli(), received: l.received}
	if last := len(l.reads) - 1; last >= 0 && l.reads[last].atMs == mark.atMs {
		l.reads[last] = mark
	} else {
		l.reads = append(l.reads, mark)
	}
}

// hear takes note that the VU has a message that was whole at that time: then all that was received before is heard, as messages come
// in order.
func (l *line) hear(wholeAtMs int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.heardAt = time.Now()
	past := 0
	for past < len(l.reads) && l.reads[past].atMs <= wholeAtMs {
		l.heard = l.reads[past].received
		past++
	}
	l.reads = l.reads[past:]
}

// cut ends the connection with its next read: for a server that uses an extension (compression, for which there is no limit) that was
// not offered, which k6 goes along with.
func (l *line) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failed = errExtension
}

// mayRead is whether there is room for more; an error: there will be none.
func (l *line) mayRead(since time.Time) (bool, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case l.failed != nil:
		return false, l.failed
	case l.received-l.heard < l.limit:
		return true, nil
	case time.Since(since) > l.patience && time.Since(l.heardAt) > l.patience:
		l.failed = errTooLong
	}
	return false, l.failed
}

type conn struct {
	net.Conn
	line *line
}

func (c *conn) Read(part []byte) (int, error) {
	since := time.Now()
	for {
		may, err := c.line.mayRead(since)
		if err != nil {
			return 0, err
		}
		if may {
			break
		}
		time.Sleep(lookWait)
	}
	n, err := c.Conn.Read(part)
	c.line.addReceived(n, time.Now())
	return n, err
}

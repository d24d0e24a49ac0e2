package bounds

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"go.k6.io/k6/v2/lib"
)

// sockets opens the connections of a VU's WebSockets. k6 lets a module replace only the connection, and in an
// encrypted one messages cannot be distinguished. So the VU reports which messages it has processed.
type sockets struct {
	base     lib.DialContexter
	limit    int64
	patience time.Duration
	next     chan *line // of the socket that open creates, until its dial takes it
}

const (
	// patience is how long a full line waits for its VU.
	patience   = 5 * time.Second
	lookWait   = 10 * time.Millisecond
	pausedWait = 200 * time.Millisecond
	// dialWait is how long k6 may take to start dialing after the WebSocket is created: usually microseconds,
	// never if the URL is invalid.
	dialWait = time.Second
)

// Close errors, because k6 shows scripts only the code and text of a close event.
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
	return &sockets{base: base, limit: limit, patience: patience, next: make(chan *line, 1)}
}

// DialContext counts the bytes of a socket from open. Any other socket of the VU has no line: no one would report
// which of its messages are processed.
func (s *sockets) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	l := s.takeNext()
	dialer := s.base
	if l != nil && l.isSlow {
		dialer = slowDialer(dialer)
	}
	base, err := dialer.DialContext(ctx, network, address)
	if err != nil || l == nil {
		return base, err
	}
	return &conn{Conn: base, line: l}, nil
}

func (s *sockets) takeNext() *line {
	select {
	case l := <-s.next:
		close(l.dialed)
		return l
	default:
		return nil
	}
}

// open creates a WebSocket and returns its line. The context is that of the VU. k6 dials in its own goroutine and does not say
// for which socket. Since the VU creates sockets one at a time and waits here for the dial, it belongs to this one.
func (s *sockets) open(ctx context.Context, construct func() error, isSlow bool) (*line, error) {
	l := &line{limit: s.limit, patience: s.patience, isSlow: isSlow, ended: ctx.Done(), dialed: make(chan struct{})}
	s.next <- l
	if err := construct(); err != nil {
		s.takeNext()
		return nil, err
	}
	select {
	case <-l.dialed:
	case <-time.After(dialWait):
		s.takeNext()
	}
	return l, nil
}

// line counts the bytes that a connection received and those that its VU has processed. At the limit it stops
// reading, which gives a busy VU time at the target's expense. If the VU processes nothing during `patience`,
// the message being received is too long, and the connection fails.
type line struct {
	limit    int64
	patience time.Duration
	isSlow   bool
	ended    <-chan struct{} // closed once the VU is stopped
	dialed   chan struct{}   // closed once a dial has taken it

	mutex    sync.Mutex
	received int64
	heard    int64
	reads    []readMark // since the last processed message
	heardAt  time.Time
	failed   error // permanent
	isPaused bool
}

// readMark is the total received up to a millisecond.
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

// hear records that the VU processes a message that was complete at the given time. Messages arrive in order,
// so everything received before is processed.
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

// cut makes the next read fail. For servers that use an extension (compression, which k6 decodes without
// limit) that was not offered.
func (l *line) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failed = errExtension
}

// pause makes the connection read no more, so that data waits in the buffers of the system and of the server.
func (l *line) pause() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.isPaused = true
}

// mayRead reports whether there is room for more data. An error is permanent.
func (l *line) mayRead(since time.Time) (bool, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case l.failed != nil:
		return false, l.failed
	case l.isPaused:
		return false, nil
	case l.received-l.heard < l.limit:
		return true, nil
	case time.Since(since) > l.patience && time.Since(l.heardAt) > l.patience:
		l.failed = errTooLong
	}
	return false, l.failed
}

// wait is how long a read waits until it looks again. Thousands of sockets may be paused.
func (l *line) wait() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.isPaused {
		return pausedWait
	}
	return lookWait
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
		select {
		case <-time.After(c.line.wait()):
		case <-c.line.ended:
			// k6 waits for the read to end, and no script runs that could cut.
			return 0, net.ErrClosed
		}
	}
	n, err := c.Conn.Read(part)
	c.line.addReceived(n, time.Now())
	return n, err
}

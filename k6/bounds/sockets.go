package bounds

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"go.k6.io/k6/v2/lib"
)

// sockets opens the connections of a VU's WebSockets, and counts what they received that the VU has not heard yet: messages in the
// making, and whole ones that wait for it. The connection is the only part of a WebSocket that k6 lets a module replace, so that
// messages cannot be told apart in it: it may be encrypted.
//
// At the limit nothing more is read: a VU that is busy gets its time, at the expense of the target. If it hears nothing for as long as
// `patience`, the message in the making is too long, and the connection ends with an error.
type sockets struct {
	base     lib.DialContexter
	limit    int64
	patience time.Duration

	mutex   sync.Mutex
	waiting int64 // bytes received and not heard
	heardAt time.Time
	open    map[*conn]struct{}
}

const (
	patience = 5 * time.Second
	lookWait = 10 * time.Millisecond
	// Of a message: its frame header, TLS, and a share of the handshake. More than it can be, so that what is left over does not add up.
	overhead = 128
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
	return &sockets{base: base, limit: limit, patience: patience, open: map[*conn]struct{}{}}
}

// DialContext opens a connection that counts.
func (s *sockets) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	base, err := s.base.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: base, sockets: s}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.open[c] = struct{}{}
	return c, nil
}

func (s *sockets) heard(bytes int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting = max(0, s.waiting-bytes-overhead)
	s.heardAt = time.Now()
}

func (s *sockets) received(bytes int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting += int64(bytes)
}

func (s *sockets) closed(c *conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.open, c)
	if len(s.open) == 0 {
		s.waiting = 0
	}
}

// cut closes all connections at once: for a server that uses an extension (compression, for which there is no limit) that was not
// offered, which k6 goes along with.
func (s *sockets) cut() {
	s.mutex.Lock()
	var open []*conn
	for c := range s.open {
		open = append(open, c)
	}
	s.mutex.Unlock()
	for _, c := range open {
		c.isCut.Store(true)
		_ = c.Close()
	}
}

// full is whether no more may be read, and since when the VU has heard nothing.
func (s *sockets) full() (bool, time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.waiting >= s.limit, s.heardAt
}

type conn struct {
	net.Conn
	sockets *sockets
	isDone  atomic.Bool
	isCut   atomic.Bool
}

func (c *conn) Read(part []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(part)
	c.sockets.received(n)
	if c.isCut.Load() {
		return 0, errExtension
	}
	return n, err
}

func (c *conn) wait() error {
	startedAt := time.Now()
	for {
		full, heardAt := c.sockets.full()
		switch {
		case c.isCut.Load():
			return errExtension
		case c.isDone.Load():
			return net.ErrClosed
		case !full:
			return nil
		case time.Since(startedAt) > c.sockets.patience && time.Since(heardAt) > c.sockets.patience:
			return errTooLong
		}
		time.Sleep(lookWait)
	}
}

func (c *conn) Close() error {
	if c.isDone.Swap(true) {
		return nil
	}
	c.sockets.closed(c)
	return c.Conn.Close()
}

package bounds

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

const lineLimit = 1000

// endless is a server that sends as fast as the client reads, without end.
type endless struct{}

func (endless) DialContext(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	go func() {
		for {
			if _, err := there.Write(make([]byte, 100)); err != nil {
				return
			}
		}
	}()
	return here, nil
}

// open dials in a goroutine, like k6 when a script creates a WebSocket.
func open(t *testing.T, s *sockets) (net.Conn, *line) {
	t.Helper()
	conns := make(chan net.Conn)
	l, err := s.open(context.Background(), func() error {
		go func() {
			c, _ := s.DialContext(context.Background(), "tcp", "target:80")
			conns <- c
		}()
		return nil
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	c := <-conns
	t.Cleanup(func() { _ = c.Close() })
	return c, l
}

func testSockets(patience time.Duration) *sockets {
	s := newSockets(endless{}, lineLimit)
	s.patience = patience
	return s
}

func read(t *testing.T, c net.Conn, bytes int) {
	t.Helper()
	if _, err := io.ReadFull(c, make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheVUDoesNotHearIsReadUpToTheLimit(t *testing.T) {
	c, _ := open(t, testSockets(0))
	if n, err := io.Copy(io.Discard, c); n != lineLimit || !errors.Is(err, errTooLong) {
		t.Fatal(n, err)
	}
}

func TestALineThatFailedStaysSo(t *testing.T) {
	c, l := open(t, testSockets(0))
	_, _ = io.Copy(io.Discard, c)
	l.hear(time.Now().UnixMilli())
	if _, err := c.Read(make([]byte, 100)); !errors.Is(err, errTooLong) {
		t.Fatal(err)
	}
}

func TestEachSocketHasALineOfItsOwn(t *testing.T) {
	s := testSockets(0)
	first, firstLine := open(t, s)
	second, _ := open(t, s)
	read(t, first, lineLimit)
	read(t, second, lineLimit)
	firstLine.hear(time.Now().UnixMilli())
	if _, err := second.Read(make([]byte, 100)); !errors.Is(err, errTooLong) {
		t.Fatal(err)
	}
	read(t, first, lineLimit)
}

func TestASocketThatAScriptOpensItselfHasNoLimit(t *testing.T) {
	s := testSockets(0)
	for range 2 { // before and after a socket with a line
		foreign, err := s.DialContext(context.Background(), "tcp", "target:80")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = foreign.Close() })
		read(t, foreign, 3*lineLimit)
		c, l := open(t, s)
		read(t, c, lineLimit)
		if l.received != lineLimit {
			t.Fatal(l.received)
		}
	}
}

func TestADialAfterASocketThatWasNeverDialedHasNoLine(t *testing.T) {
	s := testSockets(0)
	for _, fails := range []error{nil, errors.New("an invalid URL")} {
		l, err := s.open(context.Background(), func() error { return fails }, false)
		if err != fails {
			t.Fatal(err)
		}
		if err == nil {
			l.hear(time.Now().UnixMilli()) // counts nothing
		}
		foreign, err := s.DialContext(context.Background(), "tcp", "target:80")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = foreign.Close() })
		read(t, foreign, 3*lineLimit)
	}
}

func TestAMessageThatIsHeardMakesRoomForWhatCameBeforeItWasWhole(t *testing.T) {
	l := &line{limit: lineLimit}
	at := time.UnixMilli(5000)
	for ms := range 4 {
		l.addReceived(100, at.Add(time.Duration(ms)*time.Millisecond))
		l.addReceived(100, at.Add(time.Duration(ms)*time.Millisecond))
	}
	for _, c := range []struct{ wholeAtMs, heard int64 }{{4999, 0}, {5001, 400}, {5000, 400}, {9000, 800}} {
		if l.hear(c.wholeAtMs); l.heard != c.heard {
			t.Errorf("whole at %d: %d heard, want %d", c.wholeAtMs, l.heard, c.heard)
		}
	}
	if len(l.reads) != 0 {
		t.Error(l.reads)
	}
}

func TestAFullLineWaitsForItsVU(t *testing.T) {
	c, l := open(t, testSockets(time.Hour))
	read(t, c, lineLimit)
	done := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 100))
		done <- err
	}()
	l.hear(time.Now().UnixMilli())
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestCuttingEndsAReadThatWaits(t *testing.T) {
	c, l := open(t, testSockets(time.Hour))
	read(t, c, lineLimit)
	l.cut()
	if _, err := c.Read(make([]byte, 100)); !errors.Is(err, errExtension) {
		t.Fatal(err)
	}
}

func TestAMessageBeyondTheLimitClosesAWebSocketWithACodeAlsoOverTLS(t *testing.T) {
	upgrade := func(w http.ResponseWriter, r *http.Request) {
		c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		_ = c.WriteMessage(websocket.TextMessage, make([]byte, 1<<20))
		_ = c.Close()
	}
	for _, serve := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		server := serve(http.HandlerFunc(upgrade))
		t.Cleanup(server.Close)
		s := newSockets(&net.Dialer{}, 1<<16)
		s.patience = 0
		pool := x509.NewCertPool()
		if server.Certificate() != nil {
			pool.AddCert(server.Certificate())
		}
		dialer := websocket.Dialer{NetDialContext: s.DialContext, TLSClientConfig: &tls.Config{RootCAs: pool}}
		var c *websocket.Conn
		if _, err := s.open(context.Background(), func() (err error) {
			c, _, err = dialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
			return err
		}, false); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, _, err := c.ReadMessage(); err != errTooLong {
			t.Errorf("%s: %v", server.URL, err)
		}
	}
}

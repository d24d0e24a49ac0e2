package bounds

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

const socketsLimit = 1000

// pipes are connections whose other end writes without end, by as much as is read.
type pipes struct{ ends []net.Conn }

func (p *pipes) DialContext(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.ends = append(p.ends, there)
	go func() {
		for {
			if _, err := there.Write(make([]byte, 100)); err != nil {
				return
			}
		}
	}()
	return here, nil
}

func dial(t *testing.T, s *sockets) net.Conn {
	t.Helper()
	c, err := s.DialContext(context.Background(), "tcp", "target:80")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func testSockets(patience time.Duration) *sockets {
	s := newSockets(&pipes{}, socketsLimit)
	s.patience = patience
	return s
}

func TestWhatTheVUDoesNotHearIsReadUpToTheLimit(t *testing.T) {
	c := dial(t, testSockets(0))
	if n, err := io.Copy(io.Discard, c); n != socketsLimit || !errors.Is(err, errTooLong) {
		t.Fatal(n, err)
	}
}

func TestAllSocketsOfAVUShareTheLimit(t *testing.T) {
	s := testSockets(0)
	first, second := dial(t, s), dial(t, s)
	if _, err := io.ReadFull(first, make([]byte, socketsLimit-100)); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, second); n != 100 || !errors.Is(err, errTooLong) {
		t.Fatal(n, err)
	}
}

func TestWhatIsHeardMakesRoom(t *testing.T) {
	s := testSockets(time.Hour)
	c := dial(t, s)
	for range 50 {
		if _, err := io.ReadFull(c, make([]byte, 500)); err != nil {
			t.Fatal(err)
		}
		s.heard(500)
	}
}

func TestAFullSocketWaitsForTheVU(t *testing.T) {
	s := testSockets(time.Hour)
	c := dial(t, s)
	if _, err := io.ReadFull(c, make([]byte, socketsLimit)); err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 100))
		read <- err
	}()
	s.heard(socketsLimit)
	if err := <-read; err != nil {
		t.Fatal(err)
	}
}

func TestCuttingEndsAReadThatWaits(t *testing.T) {
	s := testSockets(time.Hour)
	c := dial(t, s)
	if _, err := io.ReadFull(c, make([]byte, socketsLimit)); err != nil {
		t.Fatal(err)
	}
	s.cut()
	if _, err := c.Read(make([]byte, 100)); !errors.Is(err, errExtension) {
		t.Fatal(err)
	}
}

func TestWhatWasNotHeardEndsWithTheLastSocket(t *testing.T) {
	s := testSockets(0)
	for range 3 {
		c := dial(t, s)
		if n, _ := io.Copy(io.Discard, c); n != socketsLimit {
			t.Fatal(n)
		}
		_ = c.Close()
	}
}

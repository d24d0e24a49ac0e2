package bounds

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib/netext"
)

// accepted dials a real server and returns both ends.
func accepted(t *testing.T, ctx context.Context, isSlow bool) (client net.Conn, l *line, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := newSockets(netext.NewDialer(net.Dialer{}, nil), 1<<30)
	conns := make(chan net.Conn)
	l, err = s.open(ctx, func() error {
		go func() {
			c, dialErr := s.DialContext(context.Background(), "tcp", listener.Addr().String())
			if dialErr != nil {
				t.Error(dialErr)
			}
			conns <- c
		}()
		return nil
	}, isSlow)
	if err != nil {
		t.Fatal(err)
	}
	server, err = listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	client = <-conns
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	return client, l, server
}

// fill writes until the server would have to keep the data itself, and returns how much the systems took.
func fill(t *testing.T, server net.Conn) int {
	t.Helper()
	sum := 0
	for sum < 1<<24 {
		_ = server.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := server.Write(make([]byte, 400))
		sum += n
		if err != nil {
			break
		}
	}
	return sum
}

func TestTheServerSoonKeepsWhatASlowReaderDoesNotRead(t *testing.T) {
	_, _, slow := accepted(t, context.Background(), true)
	if taken := fill(t, slow); taken > 256<<10 {
		t.Fatalf("the systems took %d bytes", taken)
	}
}

func TestAPausedSocketReadsNoMoreUntilItIsCut(t *testing.T) {
	client, l, server := accepted(t, context.Background(), true)
	if _, err := server.Write([]byte("before")); err != nil {
		t.Fatal(err)
	}
	read(t, client, len("before"))
	l.pause()
	if _, err := server.Write([]byte("later")); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := client.Read(make([]byte, 5))
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatal("read although paused", err)
	case <-time.After(2 * pausedWait):
	}
	l.cut()
	if err := <-ended; !errors.Is(err, errExtension) {
		t.Fatal(err)
	}
}

func TestAPausedSocketEndsOnceItsRunIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	client, l, _ := accepted(t, ctx, true)
	l.pause()
	stop()
	if _, err := client.Read(make([]byte, 5)); !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}

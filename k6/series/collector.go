package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/output"
)

// collectorBounds limit the memory and time spent on a collector that does not respond.
type collectorBounds struct {
	bytesHeld int
	start     time.Duration // to accept the header; generous, because all pods start together
	stop      time.Duration // to accept the remaining lines at the end
	pause     time.Duration // maximum between two attempts
}

var bounds = collectorBounds{bytesHeld: 64 << 20, start: time.Minute, stop: 30 * time.Second, pause: 2 * time.Second}

const firstPause = 50 * time.Millisecond

// collectorFile is a file at a collector's URL. Lines are sent at once. Unconfirmed lines are kept and sent
// again from the end of the collector's file, so a lost connection neither loses nor repeats lines.
type collectorFile struct {
	poster poster
	logger logrus.FieldLogger
	bounds collectorBounds

	lock   sync.Mutex
	held   backlog // not confirmed yet
	size   int64   // last known size of its file; held starts there
	tried  int64   // end of everything ever sent; its file cannot be longer
	failed error   // permanent

	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	done   chan struct{}
}

func openCollectorFile(params output.Params, header []byte) (*collectorFile, error) {
	return openCollectorFileWithin(bounds, params, header)
}

func openCollectorFileWithin(bounds collectorBounds, params output.Params, header []byte) (*collectorFile, error) {
	poster, err := newPoster(params.ConfigArgument, params.Environment["K6_SERIES_TOKEN"])
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	file := &collectorFile{
		poster: poster, logger: params.Logger, bounds: bounds,
		ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	file.held.add(header)
	starting, stop := context.WithTimeout(ctx, bounds.start)
	defer stop()
	if err := file.deliver(starting); err != nil {
		cancel()
		return nil, err
	}
	go file.run()
	return file, nil
}

// write never waits for the collector. If the backlog is full it returns an error, but the backlog is still
// sent.
func (f *collectorFile) write(lines []byte) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.failed != nil {
		return f.failed
	}
	if f.held.size+len(lines) > f.bounds.bytesHeld {
		return fmt.Errorf("the collector has not accepted the last %d bytes, and the buffer is full", f.held.size)
	}
	f.held.add(lines)
	select {
	case f.wake <- struct{}{}:
	default: // already awake
	}
	return nil
}

// close waits a bounded time for the collector to accept the backlog.
func (f *collectorFile) close() error {
	patience := time.AfterFunc(f.bounds.stop, f.cancel)
	defer patience.Stop()
	close(f.wake)
	<-f.done
	f.cancel()
	return f.failed
}

func (f *collectorFile) run() {
	defer close(f.done)
	for range f.wake {
		_ = f.deliver(f.ctx) // the next write reports the error
	}
	_ = f.deliver(f.ctx) // close reports the error
}

// deliver sends until the backlog is empty. It retries until the context ends, except after a permanent
// error.
func (f *collectorFile) deliver(ctx context.Context) error {
	failures, cause := 0, error(nil)
	for f.failed == nil {
		isDone, err := f.sendNext(ctx, postBytes>>min(failures, 6)) // smaller parts on a slow connection
		if cause == nil || ctx.Err() == nil {                       // the error of a canceled attempt is meaningless
			cause = err
		}
		switch {
		case errors.As(err, new(refusal)):
			return f.fail(err)
		case err != nil:
			failures++
			if failures == 2 { // do not log a single lost connection
				f.logger.Warnf("series output: keeping lines to send them again: %v", err)
			}
			if !f.rest(ctx, failures) {
				return f.fail(fmt.Errorf("the collector has not accepted the last %d bytes in time: %w", f.left(), cause))
			}
		default:
			if failures > 1 {
				f.logger.Info("series output: the collector accepts lines again")
			}
			failures = 0
		}
		if isDone {
			break
		}
	}
	return f.failed
}

// sendNext sends one part of the backlog of about `bytes` bytes, and reports whether the backlog is empty.
func (f *collectorFile) sendNext(ctx context.Context, bytes int) (isDone bool, err error) {
	f.lock.Lock()
	offset, tried, lines := f.size, f.tried, f.held.first(bytes)
	end := offset + int64(len(lines))
	f.tried = max(tried, end)
	f.lock.Unlock()
	if len(lines) == 0 {
		return true, nil
	}
	said, err := f.poster.post(ctx, offset, lines)
	if err != nil {
		return false, err
	}
	if err := whereItEnds(said, offset, end, tried); err != nil {
		return false, err
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.held.drop(int(said.Size - offset))
	f.size = said.Size
	return f.held.size == 0, nil
}

// whereItEnds validates the size of the collector's file: the end of the part just sent or, if a response was
// lost, any size within earlier attempts. Any other size means that the file is not ours.
func whereItEnds(said answer, offset, end, tried int64) error {
	switch {
	case said.taken && said.Size == end, !said.taken && said.Size > offset && said.Size <= tried:
		return nil
	case !said.taken && said.Size == offset:
		return fmt.Errorf("the collector accepted nothing, although its file ends at the expected offset %d", offset)
	case said.Size < offset:
		return refuse("the collector has lost data: its file has %d bytes instead of %d", said.Size, offset)
	case tried == 0:
		return refuse("the collector has a file of that name already")
	default:
		return refuse("another process writes to the collector's file: it has %d bytes, and %d were sent", said.Size, end)
	}
}

func (f *collectorFile) left() int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.held.size
}

func (f *collectorFile) fail(err error) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.failed = err
	return err
}

// rest waits with exponential backoff and jitter; it returns false if the context ends.
func (f *collectorFile) rest(ctx context.Context, failures int) bool {
	longest := min(firstPause<<min(failures, 16), f.bounds.pause)
	timer := time.NewTimer(longest/2 + rand.N(longest/2+1))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// backlog holds unsent bytes in pieces: appending neither copies nor changes pieces that are being sent.
type backlog struct {
	pieces [][]byte
	size   int
}

func (b *backlog) add(lines []byte) {
	if len(lines) > 0 {
		b.pieces = append(b.pieces, lines)
		b.size += len(lines)
	}
}

// first returns whole lines of at most limit bytes, but at least one line.
func (b *backlog) first(limit int) []byte {
	var part []byte
	for _, piece := range b.pieces {
		fits := wholeLines(piece, limit-len(part))
		if fits == 0 && len(part) == 0 {
			fits = bytes.IndexByte(piece, '\n') + 1
		}
		part = append(part, piece[:fits]...)
		if fits < len(piece) || len(part) >= limit {
			break
		}
	}
	return part
}

func (b *backlog) drop(count int) {
	b.size -= count
	for count > 0 {
		cut := min(count, len(b.pieces[0]))
		b.pieces[0] = b.pieces[0][cut:]
		count -= cut
		if len(b.pieces[0]) == 0 {
			b.pieces[0] = nil
			b.pieces = b.pieces[1:]
		}
	}
}

// wholeLines returns the length of the lines that end within the limit.
func wholeLines(lines []byte, limit int) int {
	return bytes.LastIndexByte(lines[:min(len(lines), limit)], '\n') + 1
}

package series

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/output"
)

// Bounds of what is kept for a collector that does not answer, and of how long it is waited for.
type collectorBounds struct {
	bytesHeld int
	start     time.Duration // for it to take the header: pods begin together
	stop      time.Duration // for it to take the rest, at the end
	pause     time.Duration // between two tries, at the most
}

var bounds = collectorBounds{bytesHeld: 64 << 20, start: time.Minute, stop: 30 * time.Second, pause: 2 * time.Second}

const firstPause = 50 * time.Millisecond

// collectorFile is a file that a collector keeps, at a URL. Lines go there at once; those that it has not taken yet are
// held, and sent again from where its file ends, so that a cut connection neither loses nor repeats any.
type collectorFile struct {
	poster poster
	logger logrus.FieldLogger
	bounds collectorBounds

	lock   sync.Mutex
	held   backlog // what it has not taken, as far as is known
	size   int64   // of its file, as far as is known: where held begins
	tried  int64   // the end of all that was ever sent: its file cannot be longer
	failed error   // for good

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

// write never waits for the collector. Where too much is held it takes no more, but what is held still goes there.
func (f *collectorFile) write(lines []byte) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.failed != nil {
		return f.failed
	}
	if f.held.size+len(lines) > f.bounds.bytesHeld {
		return fmt.Errorf("the collector has not taken the last %d bytes, and no more are held", f.held.size)
	}
	f.held.add(lines)
	select {
	case f.wake <- struct{}{}:
	default: // it is awake
	}
	return nil
}

// close gives the collector its time to take what is held.
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
		_ = f.deliver(f.ctx) // the next write tells
	}
	_ = f.deliver(f.ctx) // close tells
}

// deliver sends until nothing is held. It tries again for as long as the context lasts, unless that is of no use.
func (f *collectorFile) deliver(ctx context.Context) error {
	failures, cause := 0, error(nil)
	for f.failed == nil {
		isDone, err := f.sendNext(ctx, postBytes>>min(failures, 6)) // less through a slow line
		if cause == nil || ctx.Err() == nil {                       // a try that was broken off says nothing
			cause = err
		}
		switch {
		case errors.As(err, new(refusal)):
			return f.fail(err)
		case err != nil:
			failures++
			if failures == 2 { // one cut connection is nothing to speak of
				f.logger.Warnf("series output: lines are held and sent again: %v", err)
			}
			if !f.rest(ctx, failures) {
				return f.fail(fmt.Errorf("the collector has not taken the last %d bytes in time: %w", f.left(), cause))
			}
		default:
			if failures > 1 {
				f.logger.Info("series output: the collector takes lines again")
			}
			failures = 0
		}
		if isDone {
			break
		}
	}
	return f.failed
}

// sendNext sends one part of what is held, of about so many bytes, and says whether nothing is held any more.
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

// whereItEnds judges the end of the collector's file: that of what was just sent; or, where an answer was lost, within what
// had been tried before. Anything else is no file of ours.
func whereItEnds(said answer, offset, end, tried int64) error {
	switch {
	case said.taken && said.Size == end, !said.taken && said.Size > offset && said.Size <= tried:
		return nil
	case !said.taken && said.Size == offset:
		return fmt.Errorf("the collector took nothing, though its file ends where it should, at %d", offset)
	case said.Size < offset:
		return refuse("the collector has lost what had arrived: its file has %d bytes instead of %d", said.Size, offset)
	case tried == 0:
		return refuse("the collector has a file of that name already")
	default:
		return refuse("something else writes to the collector's file: it has %d bytes, and %d were sent", said.Size, end)
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

// rest waits longer each time, and not as long as other runners; false if the time is over.
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

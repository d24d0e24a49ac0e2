package series

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// fakeCollector stores one file like a collector, and injects planned faults.
type fakeCollector struct {
	*httptest.Server
	token string // empty accepts any
	// Returns the fault of a post, numbered from 0. Nil injects none.
	trouble func(post int) trouble
	// Maximum bytes per post; longer posts fail. 0 means unlimited.
	throughput int

	lock    sync.Mutex
	file    []byte
	posts   int
	longest int
}

type trouble int

const (
	none         trouble = iota
	unavailable          // rejects the post
	diskFull             // rejects the post with 507
	cutBefore            // closes the connection and stores nothing
	cutAfter             // stores everything and closes the connection
	cutWithin            // stores some whole lines and closes the connection
	cutAndMidway         // stores a part that ends within a line and closes the connection
)

func startCollector(t *testing.T, trouble func(post int) trouble) *fakeCollector {
	t.Helper()
	collector := &fakeCollector{trouble: trouble}
	collector.Server = httptest.NewServer(http.HandlerFunc(collector.serve))
	t.Cleanup(collector.Close)
	return collector
}

func (c *fakeCollector) url() string { return c.URL + "/files/series-1.ndjson" }

func (c *fakeCollector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	had := none
	if c.trouble != nil {
		had = c.trouble(c.posts)
	}
	if c.throughput > 0 && len(body) > c.throughput {
		had = cutBefore
	}
	c.posts++
	c.longest = max(c.longest, len(body))
	switch offset, _ := strconv.Atoi(r.URL.Query().Get("offset")); {
	case c.token != "" && r.Header.Get("X-Breakwater-Token") != c.token:
		w.WriteHeader(http.StatusUnauthorized)
	case had == unavailable:
		w.WriteHeader(http.StatusServiceUnavailable)
	case had == diskFull:
		http.Error(w, "no space left", http.StatusInsufficientStorage)
	case had == cutBefore:
		panic(http.ErrAbortHandler)
	case offset != len(c.file):
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, `{"size":%d}`, len(c.file))
	case had == cutWithin:
		c.file = append(c.file, body[:bytes.IndexByte(body, '\n')+1]...)
		panic(http.ErrAbortHandler)
	case had == cutAndMidway:
		c.file = append(c.file, body[:len(body)/2]...)
		panic(http.ErrAbortHandler)
	default:
		c.file = append(c.file, body...)
		if had == cutAfter {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, `{"size":%d}`, len(c.file))
	}
}

func (c *fakeCollector) holds() []byte {
	c.lock.Lock()
	defer c.lock.Unlock()
	return bytes.Clone(c.file)
}

// always injects the same fault into each post.
func always(had trouble) func(int) trouble { return func(int) trouble { return had } }

// between injects the fault into the posts numbered from (inclusive) to to (exclusive).
func between(from, to int, had trouble) func(int) trouble {
	return func(post int) trouble {
		if post >= from && post < to {
			return had
		}
		return none
	}
}

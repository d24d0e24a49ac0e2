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

// fakeCollector keeps one file as a collector does, and has the troubles that a test plans for it.
type fakeCollector struct {
	*httptest.Server
	token string // empty: any
	// Asked with each post, by its number from 0. Nil: none.
	trouble func(post int) trouble
	// Of a post; a longer one does not come through. 0: any does.
	throughput int

	lock    sync.Mutex
	file    []byte
	posts   int
	longest int
}

type trouble int

const (
	none         trouble = iota
	unavailable          // takes nothing, and says so
	diskFull             // the same, of its disk
	cutBefore            // breaks the connection and takes nothing
	cutAfter             // takes all, and breaks the connection
	cutWithin            // takes a part, as far as some line, and breaks the connection
	cutAndMidway         // takes a part that ends within a line, and breaks the connection
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

// holds is a copy of its file.
func (c *fakeCollector) holds() []byte {
	c.lock.Lock()
	defer c.lock.Unlock()
	return bytes.Clone(c.file)
}

// always has the same trouble.
func always(had trouble) func(int) trouble { return func(int) trouble { return had } }

// between has it from a post on, up to another.
func between(from, to int, had trouble) func(int) trouble {
	return func(post int) trouble {
		if post >= from && post < to {
			return had
		}
		return none
	}
}

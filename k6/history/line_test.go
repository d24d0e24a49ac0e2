package history

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

var kinds = []kind{
	{"trades:", "Trade", "data.pool", "data.id"},
	{"pool_stats:", "PoolStats", "data.pool", ""},
	{"protocol_config", "ProtocolConfigChanged", "", "data.revision"},
}

func newLine(log *operationLog) *line {
	return &line{log: log, key: "socket 1.1", kinds: kinds, address: hash("me", 32), joined: map[room]bool{}}
}

func base36(value int64) string { return strconv.FormatInt(value, 36) }

func TestTheFramesOfASocketAreOperations(t *testing.T) {
	trade := `{"type":"Trade","data":{"pool":"p","id":7}}`
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		socket := newLine(log)
		socket.sent(`{"action":"authenticate","token":"secret"}`)
		socket.sent(`{"action":"subscribe","room":"trades:p"}`)
		socket.sent(`{"action":"subscribe","room":"protocol_config"}`)
		socket.sent(`{"action":"synchronize"}`)
		socket.received(`{"control":"synchronized"}`, time.Now().UnixMilli())
		socket.received(trade, time.Now().UnixMilli())
		socket.received(`{"type":"ProtocolConfigChanged","data":{"revision":"3"}}`, time.Now().UnixMilli())
		socket.sent(`{"action":"unsubscribe","room":"trades:p"}`)
		socket.sent(`{"action":"synchronize"}`)
	})
	p := base36(hash("p", 32))
	mustMatch(t, text, `{.*}
=socket 1.1
A0 \w+ 0 0 `+base36(hash("me", 32))+`
J0 \w+ 0 0 `+p+`
J0 \w+ 0 2
Y0 \w+ \w+ 0
E0 -?\w+ 0 0 `+p+` `+base36(hash(trade, 53))+`
E0 -?\w+ 0 2 -1 \w+
V0 \w+ 0 0 `+p+`
Y0 \w+ - 0
.done
`)
	if strings.Contains(text, "secret") {
		t.Error("the log has a ticket")
	}
}

func TestOfARoomWithoutIdentitiesOnlyTheFirstEventIsRecorded(t *testing.T) {
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		socket := newLine(log)
		stats := func(pool string) {
			socket.received(`{"type":"PoolStats","data":{"pool":"`+pool+`"}}`, time.Now().UnixMilli())
		}
		socket.sent(`{"action":"subscribe","room":"pool_stats:p"}`)
		for range 50 {
			stats("p")
		}
		socket.sent(`{"action":"unsubscribe","room":"pool_stats:p"}`)
		stats("p")
		stats("p")
		stats("q")
	})
	mustMatch(t, text, `{.*}
=socket 1.1
J0 \w+ 0 1 \w+
E0 -?\w+ 0 1 \w+
V0 \w+ 0 1 \w+
(E0 -?\w+ 0 1 \w+
){3}.done
`)
}

func TestFramesThatAreNoEventsOfAKnownKindAreNotRecorded(t *testing.T) {
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		socket := newLine(log)
		for _, frame := range []string{"", "<binary>", "[1]", `{"type":7}`, `{"type":"Swap","data":{}}`, `{"control":"synchronized"}`} {
			socket.received(frame, time.Now().UnixMilli())
			socket.sent(frame)
		}
		socket.sent(`{"action":"subscribe","room":"protocol_config:p"}`)
	})
	mustMatch(t, text, "{.*}\n.done\n")
}

func TestTheTimeOfAnEventIsThatOfItsArrival(t *testing.T) {
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		log.start = log.start.Add(-time.Minute)
		newLine(log).received(`{"type":"PoolStats","data":{}}`, time.Now().Add(-time.Minute).UnixMilli())
	})
	mustMatch(t, text, `{.*}
=socket 1.1
E0 -?\w{1,5} 0 1
.done
`)
}

func TestEventsWithoutAnIntegerOrATextHaveNoIdentity(t *testing.T) {
	for path, want := range map[string]string{"a": "text", "b": "12", "c": "", "d": "", "e.f": "x", "e*": "y", "": ""} {
		if got := pick(`{"a":"text","b":12,"c":1.5,"d":{},"e":{"f":"x"},"e*":"y"}`, escape(path)); got != want {
			t.Errorf("%q: expected %q, got %q", path, want, got)
		}
	}
}

func TestHashesFitIntoTheirBitsAndDiffer(t *testing.T) {
	seen := map[int64]bool{}
	for index := range 100_000 {
		sum := hash(fmt.Sprint("pool", index), 53)
		if sum < 0 || sum >= 1<<53 || seen[sum] {
			t.Fatalf("%d: %d is too large, or repeated", index, sum)
		}
		seen[sum] = true
	}
}

func BenchmarkAnEvent(b *testing.B) {
	log := newLog(&memoryFile{}, 1<<62)
	socket := newLine(log)
	trade := `{"type":"Trade","data":{"id":"123","pool":"p","text":"` + strings.Repeat("x", 500) + `"}}`
	for b.Loop() {
		socket.received(trade, 0)
	}
}

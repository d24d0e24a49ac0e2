package history

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/output"
)

func TestEachOperationIsALineWithItsKeyStatusAndNumbers(t *testing.T) {
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		refresh := log.call("R", "session 1.2", 40)
		read := log.call("U", "session 1.2", -1)
		log.done(read, 401, -1)
		log.done(refresh, 200, 41)
		log.done(log.call("F", "faucet a", -1), 0, 36)
		log.done(log.call("L", "session 1.2", -1), 204, -1)
	})
	mustMatch(t, text, `{"history":1,"startMs":\d+}
=session 1.2
U0 \w+ \w+ b5
R0 -?\w+ \w+ 5k 14 15
=faucet a
F1 \w+ \w+ 0 -1 10
L0 \w+ \w+ 5o
.done
`)
}

func TestOperationsThatNeverReturnedAreWrittenAtTheEnd(t *testing.T) {
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		log.call("R", "session 1.2", 4)
		log.call("L", "session 1.2", -1)
	})
	mustMatch(t, text, `{.*}
=session 1.2
R0 \w+ - 0 4
L0 \w+ - 0
.done
`)
}

func TestAFullLogIsCompleteUpToItsLastLine(t *testing.T) {
	text := mustRecord(t, 60, func(log *operationLog) {
		open := log.call("L", "session 1.2", -1)
		for range 100 {
			log.done(log.call("U", "session 1.2", 0), 200, -1)
		}
		log.done(open, 200, -1)
	})
	mustMatch(t, text, `{.*}
=session 1.2
(U0 \w+ \w+ 5k 0
)+L0 -?\w+ - 0
.full
`)
	if len(text) > 100 {
		t.Errorf("expected about 60 bytes, got %d", len(text))
	}
}

func TestConcurrentOperationsAreAllInTheLog(t *testing.T) {
	const vus, operations = 8, 2000
	text := mustRecord(t, bytesMax, func(log *operationLog) {
		var group sync.WaitGroup
		for vu := range vus {
			group.Go(func() {
				for range operations {
					log.done(log.call("U", "session "+string(rune('a'+vu)), 0), 200, -1)
				}
			})
		}
		group.Wait()
	})
	if lines := strings.Count(text, "\nU"); lines != vus*operations {
		t.Errorf("expected %d operations, got %d", vus*operations, lines)
	}
	if perOperation := len(text) / (vus * operations); perOperation > 100 {
		t.Errorf("expected at most 100 bytes per operation, got %d", perOperation)
	}
}

func TestWithoutTheOutputTheModuleRecordsNothing(t *testing.T) {
	if id := call("U", "session 1.2", 0); id != noOperation {
		t.Errorf("expected no operation, got %d", id)
	}
	done(noOperation, 200, -1)
}

func TestTheOutputNeedsAFileThatItCanWrite(t *testing.T) {
	if _, err := New(output.Params{}); err == nil {
		t.Error("expected an error without a path")
	}
	out, _ := New(output.Params{ConfigArgument: "history.log", FS: fsext.NewReadOnlyFs(fsext.NewMemMapFs())})
	if err := out.Start(); err == nil {
		t.Error("expected an error on a read-only disk")
	}
}

type memoryFile struct{ strings.Builder }

func (*memoryFile) Close() error { return nil }

func mustRecord(t *testing.T, bytesMax int64, record func(log *operationLog)) string {
	t.Helper()
	file := &memoryFile{}
	log := newLog(file, bytesMax)
	record(log)
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func mustMatch(t *testing.T, text, want string) {
	t.Helper()
	if !regexp.MustCompile("^" + want + "$").MatchString(text) {
		t.Errorf("expected %s, got %s", want, text)
	}
}

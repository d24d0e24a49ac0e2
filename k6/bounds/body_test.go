package bounds

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"go.k6.io/k6/v2/lib"

	"breakwater/k6/arrivals"
)

const testLimit = 1 << 20

func get(t *testing.T, handler http.HandlerFunc) *http.Response {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base := &http.Transport{DisableCompression: true}
	t.Cleanup(base.CloseIdleConnections)
	client := http.Client{Transport: boundTransport{
		base: base, limits: limits{BytesMax: testLimit, JSONLevelsMax: 128, JSONValuesMax: 1000},
		state: &lib.State{}, slot: &arrivals.Slot{},
	}}
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func sends(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if encoding != "" {
			w.Header().Set("Content-Encoding", encoding)
		}
		_, _ = w.Write(body)
	}
}

func packed(t *testing.T, encoding, text string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "":
		return []byte(text)
	case "gzip":
		w = gzip.NewWriter(&buffer)
	case "deflate":
		w = zlib.NewWriter(&buffer)
	case "br":
		w = brotli.NewWriter(&buffer)
	case "zstd":
		w, _ = zstd.NewWriter(&buffer)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return buffer.Bytes()
}

var encodings = []string{"", "gzip", "deflate", "br", "zstd"}

func TestABodyUpToTheLimitArrivesWhole(t *testing.T) {
	whole := strings.Repeat("x", testLimit)
	for _, encoding := range encodings {
		response := get(t, sends(encoding, packed(t, encoding, whole)))
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != whole || response.Header.Get("Content-Encoding") != "" {
			t.Errorf("%q: %d bytes, %v, headers %v", encoding, len(body), err, response.Header)
		}
	}
}

func TestALongerBodyFailsWhateverItsEncoding(t *testing.T) {
	for _, encoding := range encodings {
		response := get(t, sends(encoding, packed(t, encoding, strings.Repeat("x", testLimit+1))))
		body, err := io.ReadAll(response.Body)
		if err == nil || err.Error() != "the response body is longer than 1 MiB" || len(body) > testLimit {
			t.Errorf("%q: %d bytes, %v", encoding, len(body), err)
		}
		if n, again := response.Body.Read(make([]byte, 1)); n != 0 || again != err {
			t.Errorf("%q: after the error %d bytes, %v", encoding, n, again)
		}
	}
}

func TestEncodingsInARowAreUndoneFromTheLastOn(t *testing.T) {
	twice := packed(t, "br", string(packed(t, "gzip", "hello")))
	response := get(t, sends("gzip, br", twice))
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "hello" {
		t.Fatalf("%q, %v", body, err)
	}
}

func TestWhatIsNotOfItsEncodingIsAnError(t *testing.T) {
	for encoding, want := range map[string]string{"gzip": "gzip: invalid header", "deflate": "zlib: invalid header"} {
		if _, err := io.ReadAll(get(t, sends(encoding, []byte("not of that kind"))).Body); err == nil || err.Error() != want {
			t.Errorf("%s: %v", encoding, err)
		}
		if _, err := io.ReadAll(get(t, sends(encoding, nil)).Body); err != io.ErrUnexpectedEOF {
			t.Errorf("%s, empty: %v", encoding, err)
		}
	}
}

func TestAnEncodingThatK6DoesNotKnowStays(t *testing.T) {
	response := get(t, sends("compress", []byte("as it came")))
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "as it came" || response.Header.Get("Content-Encoding") != "compress" {
		t.Fatalf("%q, %v, %v", body, err, response.Header)
	}
}

func TestAnEndlessBodyEnds(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, 1<<16))
		}
	}
	for _, read := range []func(io.Reader) error{
		func(body io.Reader) error { _, err := io.ReadAll(body); return err },
		func(body io.Reader) error { _, err := io.Copy(io.Discard, body); return err },
	} {
		if err := read(get(t, endless).Body); err == nil || err.Error() != "the response body is longer than 1 MiB" {
			t.Error(err)
		}
	}
}

func TestABodyThatNobodyReadsIsNotDecoded(t *testing.T) {
	response := get(t, sends("gzip", []byte("not gzip")))
	if n, err := io.Copy(io.Discard, response.Body); n != 8 || err != nil {
		t.Fatal(n, err)
	}
}

func TestJSONThatNestsTooDeepFails(t *testing.T) {
	for _, encoding := range encodings {
		fits := strings.Repeat("[", 128) + strings.Repeat("]", 128)
		if _, err := io.ReadAll(get(t, sends(encoding, packed(t, encoding, fits))).Body); err != nil {
			t.Errorf("%q, 128 levels: %v", encoding, err)
		}
		body, err := io.ReadAll(get(t, sends(encoding, packed(t, encoding, "["+fits+"]"))).Body)
		if len(body) > 0 || err == nil || err.Error() != "the response body is JSON nested deeper than 128 levels" {
			t.Errorf("%q, 129 levels: %v", encoding, err)
		}
	}
}

func TestJSONOfTooManyValuesFails(t *testing.T) {
	for values, want := range map[int]string{1000: "", 1001: "the response body is JSON of more than 1000 values"} {
		text := "[" + strings.Repeat("1,", values-1) + "1]"
		_, err := io.ReadAll(get(t, sends("gzip", packed(t, "gzip", text))).Body)
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil) {
			t.Errorf("%d values: %s", values, got)
		}
	}
}

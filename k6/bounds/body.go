package bounds

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// boundTransport hands out bodies that end with an error at the limit. It decodes them itself, as what k6 does after it has no limit.
type boundTransport struct {
	base   http.RoundTripper
	limits limits
}

func (t boundTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(request)
	// The body of a 101 is the connection; k6 takes none of that status.
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols {
		return response, err
	}
	body := &boundBody{
		limits:    t.limits,
		wire:      &meter{source: response.Body, left: t.limits.BytesMax, limit: t.limits.BytesMax},
		raw:       response.Body,
		encodings: takeEncodings(response.Header),
		extent:    newExtent(t.limits),
	}
	if len(body.encodings) > 0 {
		response.Header.Del("Content-Length")
		response.ContentLength = -1
		response.Uncompressed = true
	}
	response.Body = body
	return response, nil
}

type boundBody struct {
	limits    limits
	raw       io.Closer
	wire      *meter   // as sent
	encodings []string // the last one first
	decoded   *meter   // nil until the first read
	extent    extent
	failed    error
}

// Read is one of the decoded body.
func (b *boundBody) Read(part []byte) (int, error) {
	if b.failed == nil && b.decoded == nil {
		b.failed = b.decode()
	}
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.decoded.Read(part)
	if beyond := b.extent.read(part[:n]); beyond != nil {
		n = 0 // k6 hands out what it got before an error
		err = fmt.Errorf("the response body is %v", beyond)
	}
	b.failed = err
	if err != nil {
		b.extent.close()
	}
	if err != nil && err != io.EOF {
		_ = b.raw.Close() // the rest is not worth reading
	}
	return n, err
}

// WriteTo drains the body without decoding it, for k6 when nobody reads it; elsewhere it is as io.Copy.
func (b *boundBody) WriteTo(target io.Writer) (int64, error) {
	if target == io.Discard {
		return io.Copy(target, b.wire)
	}
	return io.Copy(target, struct{ io.Reader }{b})
}

func (b *boundBody) Close() error {
	b.extent.close()
	return b.raw.Close()
}

func (b *boundBody) decode() error {
	var reader io.Reader = b.wire
	for _, encoding := range b.encodings {
		decoder, err := decoders[encoding](reader)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // an empty body is none of that encoding
		}
		if err != nil {
			return err
		}
		reader = decoder
	}
	b.decoded = &meter{source: reader, left: b.limits.BytesMax, limit: b.limits.BytesMax}
	return nil
}

// zstdWindowMax is what a decoder has to take (RFC 8878, section 3.1.1.1.2); k6's own takes more, and reserves it.
const zstdWindowMax = 8 << 20

// Those that k6 decodes.
var decoders = map[string]func(io.Reader) (io.Reader, error){
	"gzip":    func(source io.Reader) (io.Reader, error) { return gzip.NewReader(source) },
	"deflate": func(source io.Reader) (io.Reader, error) { return zlib.NewReader(source) },
	"br":      func(source io.Reader) (io.Reader, error) { return brotli.NewReader(source), nil },
	"zstd": func(source io.Reader) (io.Reader, error) {
		// With one decoder there are no goroutines that a Close would have to end.
		return zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindowMax))
	},
}

// takeEncodings removes the encodings from the header if k6 would decode them, so that it does not decode again. As in k6, one that it
// does not know is passed over.
func takeEncodings(header http.Header) []string {
	var found []string
	for _, name := range strings.Split(header.Get("Content-Encoding"), ",") {
		name = strings.TrimSpace(name)
		if _, known := decoders[name]; known {
			found = append([]string{name}, found...)
		}
	}
	if len(found) > encodingsMax {
		found = found[:encodingsMax]
	}
	if len(found) > 0 {
		header.Del("Content-Encoding")
	}
	return found
}

// encodingsMax is more than servers use: each takes memory of its own.
const encodingsMax = 4

// meter reads up to a limit, and fails beyond it.
type meter struct {
	source io.Reader
	left   int64
	limit  int64
}

func (m *meter) Read(part []byte) (int, error) {
	n, err := m.source.Read(part)
	if m.left -= int64(n); m.left < 0 {
		return 0, fmt.Errorf("the response body is longer than %d MiB", m.limit>>20)
	}
	return n, err
}

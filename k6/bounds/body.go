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
	"go.k6.io/k6/v2/lib"

	"breakwater/k6/arrivals"
)

// boundTransport returns bodies that fail at the limit. It decodes them itself, because k6's decoding has no
// limit.
type boundTransport struct {
	base   http.RoundTripper
	limits limits
	state  *lib.State // of the VU
	slot   *arrivals.Slot
}

func (t boundTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.slot.ClearStamp(t.state.Tags)
	response, err := t.base.RoundTrip(request)
	// The body of a 101 is the connection; k6 does not use it.
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
	wire      *meter   // before decoding
	encodings []string // outermost first
	decoded   *meter   // nil until the first read
	extent    extent
	failed    error
}

func (b *boundBody) Read(part []byte) (int, error) {
	if b.failed == nil && b.decoded == nil {
		b.failed = b.decode()
	}
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.decoded.Read(part)
	if beyond := b.extent.read(part[:n]); beyond != nil {
		n = 0 // k6 would return the bytes read before an error
		err = fmt.Errorf("the response body is %v", beyond)
	}
	b.failed = err
	if err != nil {
		b.extent.close()
	}
	if err != nil && err != io.EOF {
		_ = b.raw.Close() // the rest is not needed
	}
	return n, err
}

// WriteTo drains the body without decoding it: k6 calls it on io.Discard if the script does not read the
// body. For other targets it works like io.Copy.
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
			err = io.ErrUnexpectedEOF // an empty body is not valid in this encoding
		}
		if err != nil {
			return err
		}
		reader = decoder
	}
	b.decoded = &meter{source: reader, left: b.limits.BytesMax, limit: b.limits.BytesMax}
	return nil
}

// zstdWindowMax is the window that a decoder must support (RFC 8878, section 3.1.1.1.2). k6's own decoder
// accepts and reserves more.
const zstdWindowMax = 8 << 20

// Encodings that k6 decodes.
var decoders = map[string]func(io.Reader) (io.Reader, error){
	"gzip":    func(source io.Reader) (io.Reader, error) { return gzip.NewReader(source) },
	"deflate": func(source io.Reader) (io.Reader, error) { return zlib.NewReader(source) },
	"br":      func(source io.Reader) (io.Reader, error) { return brotli.NewReader(source), nil },
	"zstd": func(source io.Reader) (io.Reader, error) {
		// A single decoder starts no goroutines, so no Close is needed.
		return zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindowMax))
	},
}

// takeEncodings removes the encodings that k6 would decode from the header, so that k6 does not decode again.
// Like k6, it ignores unknown encodings.
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

// encodingsMax exceeds what servers use; each decoder allocates memory.
const encodingsMax = 4

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

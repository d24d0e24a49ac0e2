package bounds

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.k6.io/k6/v2/ext"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
)

// fakeVU is a VU before (nil) or after k6 has loaded its script.
type fakeVU struct {
	modules.VU
	state *lib.State
}

func (v fakeVU) State() *lib.State { return v.state }

func TestK6TakesItsHTTPModuleFromHere(t *testing.T) {
	if _, ours := ext.Get(ext.JSExtension)["k6/http"].Module.(*HTTP); !ours {
		t.Fatal("k6/http is k6's own")
	}
}

func TestTheTransportOfAVUIsBoundOnceItExists(t *testing.T) {
	if state := (boundVU{VU: fakeVU{}}).State(); state != nil {
		t.Fatal(state)
	}
	base := &http.Transport{}
	vu := boundVU{VU: fakeVU{state: &lib.State{Transport: base}}}
	for range 2 {
		if got, bound := vu.State().Transport.(boundTransport); !bound || got.base != base || got.limits != ofEachVU {
			t.Fatalf("%T", got)
		}
	}
}

func TestHeadersHaveALimit(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", headerBytesMax))
		_, _ = io.WriteString(w, "body")
	}))
	t.Cleanup(server.Close)
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	state := &lib.State{Transport: base}
	bind(state)
	response, err := (&http.Client{Transport: state.Transport}).Get(server.URL)
	if err == nil {
		_ = response.Body.Close()
		t.Fatal("no error")
	}
	if !strings.HasSuffix(err.Error(), "server response headers exceeded 1048576 bytes; aborted") {
		t.Error(err)
	}
}

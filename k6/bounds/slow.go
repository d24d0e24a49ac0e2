package bounds

import (
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
)

const (
	// readBufferBytes is small, as that of a client on a weak device.
	readBufferBytes = 4096
	// segmentBytes is the smallest segment that every host accepts. Servers size their buffers by it: on a loopback, where segments
	// have 64 KB, a server would otherwise buffer megabytes in its system.
	segmentBytes = 536
)

// slowDialer dials connections with small buffers. Any other dialer than that of k6 is returned as it is.
func slowDialer(base lib.DialContexter) lib.DialContexter {
	dialer, ok := base.(*netext.Dialer)
	if !ok || dialer.Control != nil {
		return base
	}
	slow := netext.NewDialer(dialer.Dialer, dialer.Resolver)
	slow.Blacklist, slow.BlockedHostnames, slow.Hosts = dialer.Blacklist, dialer.BlockedHostnames, dialer.Hosts
	slow.Control = shrinkBuffers
	return slow
}

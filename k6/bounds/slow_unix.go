//go:build unix

package bounds

import "syscall"

// shrinkBuffers runs before the connection is opened, because both sides agree on the segments then.
func shrinkBuffers(_, _ string, raw syscall.RawConn) error {
	var err error
	if controlErr := raw.Control(func(descriptor uintptr) {
		socket := int(descriptor)
		if err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_RCVBUF, readBufferBytes); err == nil {
			err = syscall.SetsockoptInt(socket, syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, segmentBytes)
		}
	}); controlErr != nil {
		return controlErr
	}
	return err
}

package series

import "bytes"

// backlog holds unsent bytes in pieces: appending neither copies nor changes pieces that are being sent.
type backlog struct {
	pieces [][]byte
	size   int
}

func (b *backlog) add(lines []byte) {
	if len(lines) > 0 {
		b.pieces = append(b.pieces, lines)
		b.size += len(lines)
	}
}

// first returns whole lines of at most limit bytes, but at least one line.
func (b *backlog) first(limit int) []byte {
	var part []byte
	for _, piece := range b.pieces {
		fits := wholeLines(piece, limit-len(part))
		if fits == 0 && len(part) == 0 {
			fits = bytes.IndexByte(piece, '\n') + 1
		}
		part = append(part, piece[:fits]...)
		if fits < len(piece) || len(part) >= limit {
			break
		}
	}
	return part
}

func (b *backlog) drop(count int) {
	b.size -= count
	for count > 0 {
		cut := min(count, len(b.pieces[0]))
		b.pieces[0] = b.pieces[0][cut:]
		count -= cut
		if len(b.pieces[0]) == 0 {
			b.pieces[0] = nil
			b.pieces = b.pieces[1:]
		}
	}
}

// wholeLines returns the length of the lines that end within the limit.
func wholeLines(lines []byte, limit int) int {
	return bytes.LastIndexByte(lines[:min(len(lines), limit)], '\n') + 1
}

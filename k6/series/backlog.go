package series

import "bytes"

// backlog holds bytes that have yet to arrive, in pieces: adding to it copies none, and changes none that are being sent.
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

// first returns whole lines, of at most so many bytes, but at least one.
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

// wholeLines is how many bytes the lines have that end within the limit.
func wholeLines(lines []byte, limit int) int {
	return bytes.LastIndexByte(lines[:min(len(lines), limit)], '\n') + 1
}

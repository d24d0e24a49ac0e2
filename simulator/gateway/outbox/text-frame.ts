/** `revision`: the one that it announces, of the event that asks something of clients. */
export type EventFrame = Buffer & { revision?: number }

/**
 * A text message as it stands on the wire: RFC 6455, section 5.2. One frame, whole and unmasked, as servers send them,
 * and without extensions; so the same bytes go to every socket.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = FINAL_TEXT
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, start)
  return frame
}

const FINAL_TEXT = 0x81

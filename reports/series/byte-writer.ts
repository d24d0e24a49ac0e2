/** Text as bytes, in a place that grows as it must and is used again. */
export type ByteWriter = { bytes: Buffer; length: number }

const ROOM_BYTES = 512 * 1024

const ZERO = 0x30
const MINUS = 0x2d

/** Longer ones are left to String. */
const SHORT = 1e9
const SHORT_DIGITS = 9

/** Nothing written yet. */
export function createByteWriter(): ByteWriter {
  return { bytes: Buffer.allocUnsafe(ROOM_BYTES), length: 0 }
}

/** What was written, in the writer's own place; it is then empty, and writes over it. */
export function takeBytes(writer: ByteWriter): Buffer {
  const taken = writer.bytes.subarray(0, writer.length)
  writer.length = 0
  return taken
}

/** A byte, such as that of a letter of ASCII. */
export function writeByte(writer: ByteWriter, byte: number): void {
  makeRoom(writer, 1)
  writer.bytes[writer.length] = byte
  writer.length += 1
}

/** All of them. */
export function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  makeRoom(writer, bytes.length)
  writer.bytes.set(bytes, writer.length)
  writer.length += bytes.length
}

/** Any finite number, as JSON writes it. */
export function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isInteger(value) && value > -SHORT && value < SHORT) {
    writeShort(writer, value)
    return
  }
  const text = String(value)
  makeRoom(writer, text.length)
  writer.length += writer.bytes.write(text, writer.length, 'latin1')
}

function writeShort(writer: ByteWriter, value: number): void {
  makeRoom(writer, SHORT_DIGITS + 1)
  const { bytes } = writer
  let rest = value
  if (value < 0) {
    bytes[writer.length] = MINUS
    writer.length += 1
    rest = -value
  }
  const start = writer.length
  let end = start + 1
  for (let left = rest; left >= 10; left = Math.floor(left / 10)) end += 1
  for (let at = end - 1; at >= start; at -= 1) {
    const tens = Math.floor(rest / 10)
    bytes[at] = ZERO + rest - 10 * tens
    rest = tens
  }
  writer.length = end
}

function makeRoom(writer: ByteWriter, more: number): void {
  const needed = writer.length + more
  if (needed <= writer.bytes.length) return
  const grown = Buffer.allocUnsafe(2 * needed)
  writer.bytes.copy(grown, 0, 0, writer.length)
  writer.bytes = grown
}

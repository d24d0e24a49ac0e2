const LINE_END = 10
/** A series has lines of some hundred bytes; what has none of this size is no file of lines. */
const LINE_MAX_BYTES = 16 << 20

/**
 * Hands on what comes, up to the last line end; what comes behind that is left out. Throws what source and `write` throw, once the
 * lines before are written, and a RangeError for a line that is far too long.
 */
export async function writeWholeLines(
  source: AsyncIterable<Buffer>,
  write: (lines: Buffer) => Promise<void>,
): Promise<void> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end > 0) {
      await write(Buffer.concat([...rest, chunk.subarray(0, end)]))
      rest = []
      restBytes = 0
    }
    rest.push(chunk.subarray(end))
    restBytes += chunk.length - end
    if (restBytes > LINE_MAX_BYTES) throw new RangeError(`it has a line of more than ${LINE_MAX_BYTES} bytes`)
  }
}

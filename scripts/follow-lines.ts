import { open } from 'node:fs/promises'

const CHUNK_BYTES = 1 << 20

/** Hands on the whole lines that a file has got since it was looked at last; a file that is not there yet has none. */
export function followLines(file: string, onLine: (line: string) => void): { look(): Promise<void> } {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let read = 0
  let rest: Buffer = Buffer.alloc(0)
  return {
    async look() {
      const handle = await open(file).catch(() => undefined)
      if (handle === undefined) return
      try {
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, read)
          if (bytesRead === 0) return
          read += bytesRead
          // Cut at line ends, which no character of several bytes holds.
          const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
          const end = bytes.lastIndexOf('\n') + 1
          rest = bytes.subarray(end)
          for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') onLine(line)
        }
      } finally {
        await handle.close()
      }
    },
  }
}

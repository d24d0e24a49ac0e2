import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** What a tar archive holds of one path; `mode` is of the file or folder, such as 0o755. Paths are without a leading slash. */
export type TarEntry = { path: string; mode: number } & TarContent
type TarContent =
  | { kind: 'folder' }
  | { kind: 'link'; to: string }
  | { kind: 'data'; data: Uint8Array }
  /** The content of a file of this machine. */
  | { kind: 'file'; from: string }

const BLOCK = 512
const CHUNK_BYTES = 1 << 20
const TYPES = { data: '0', file: '0', link: '2', folder: '5' } as const

/**
 * A tar archive, piece by piece (ustar, with a pax header where a path is long). All belongs to root and has no time, so that
 * the same entries are the same bytes. Throws what node:fs does where a file cannot be read.
 */
export function* tarChunks(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    const size = sizeOf(entry)
    const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path
    const to = entry.kind === 'link' ? entry.to : ''
    const long = paxRecord('path', path) + paxRecord('linkpath', to)
    if (long !== '') {
      const data = Buffer.from(long)
      yield header({ path: 'long-name', to: '', mode: 0o644, type: 'x', size: data.length })
      yield data
      yield padding(data.length)
    }
    yield header({ path, to, mode: entry.mode, type: TYPES[entry.kind], size })
    if (entry.kind === 'data') yield entry.data
    if (entry.kind === 'file') yield* fileChunks(entry.from, size)
    yield padding(size)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function sizeOf(entry: TarEntry): number {
  if (entry.kind === 'data') return entry.data.length
  return entry.kind === 'file' ? statSync(entry.from).size : 0
}

function header(fields: { path: string; to: string; mode: number; type: string; size: number }): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const put = (text: string, at: number, bytes: number) => block.write(text.slice(0, bytes), at, 'latin1')
  put(fields.path, 0, 100)
  put(octal(fields.mode, 7), 100, 7)
  put(octal(0, 7), 108, 7)
  put(octal(0, 7), 116, 7)
  put(octal(fields.size, 11), 124, 11)
  put(octal(0, 11), 136, 11)
  put(' '.repeat(8), 148, 8)
  put(fields.type, 156, 1)
  put(fields.to, 157, 100)
  put('ustar\x0000', 257, 8)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148, 8)
  return block
}

/** A record of a pax header, whose length counts itself; nothing where a plain header holds the value. */
function paxRecord(key: string, value: string): string {
  if (Buffer.byteLength(value) <= 100 && !/[^\x20-\x7e]/.test(value)) return ''
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`)
  return `${length}${rest}`
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

function* fileChunks(path: string, size: number): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    let left = size
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left))
      const read = readSync(file, chunk)
      if (read === 0) throw new RangeError(`${path} became shorter while it was read`)
      yield chunk.subarray(0, read)
      left -= read
    }
  } finally {
    closeSync(file)
  }
}

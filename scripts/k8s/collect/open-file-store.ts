import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** A plain name: no folder, not hidden. */
const FILE_NAME = /^(?!\.)[A-Za-z0-9._-]{1,200}$/

export function isFileName(name: string): boolean {
  return FILE_NAME.test(name)
}

export type StoredFile = { name: string; size: number }

export type Appended = {
  /** False if the file does not end at that offset; nothing was written. */
  done: boolean
  size: number
}

/**
 * Append-only files of a folder that nothing else writes to. Callers check names. Each function throws what node:fs
 * throws.
 */
export type FileStore = {
  list(): Promise<StoredFile[]>
  /** Appends all of the bytes or none, even if the disk is full. A missing file counts as empty. */
  append(name: string, options: { offset: number; pieces: readonly Buffer[] }): Promise<Appended>
  /**
   * Reads from the offset to the current end, and returns the size; null: no such file. The stream must be read or
   * destroyed.
   */
  read(name: string, from: number): Promise<{ size: number; bytes: Readable } | null>
}

export function openFileStore(dir: string): FileStore {
  const inTurn = oneAtATime()
  /**
   * The end of the last whole append of each file: readers never see half of one. Kept after the append, because stats
   * taken during it may be looked at only after it.
   */
  const ends = new Map<string, number>()
  const getSize = (name: string, stats: Stats) => ends.get(name) ?? stats.size
  return {
    async list() {
      const names = (await readdir(dir)).filter(isFileName).sort()
      const files = await Promise.all(
        names.map(async (name) => ({ name, stats: await unlessGone(lstat(join(dir, name))) })),
      )
      return files.flatMap(({ name, stats }) =>
        stats?.isFile() ? [{ name, size: getSize(name, stats) }] : [],
      )
    },
    append: (name, { offset, pieces }) =>
      inTurn(name, async () => {
        const file = await open(join(dir, name), APPEND, 0o644)
        try {
          const { size } = await file.stat()
          if (size !== offset) return { done: false, size }
          ends.set(name, offset)
          const end = await writeWholly(file, pieces, offset)
          ends.set(name, end)
          return { done: true, size: end }
        } finally {
          await file.close()
        }
      }),
    async read(name, from) {
      const file = await unlessGone(open(join(dir, name), READ))
      if (file === null) return null
      const stats = await file.stat()
      const size = getSize(name, stats)
      if (stats.isFile() && from < size)
        return { size, bytes: file.createReadStream({ start: from, end: size - 1 }) }
      await file.close()
      return stats.isFile() ? { size, bytes: Readable.from([]) } : null
    },
  }
}

// A link could lead out of the folder; opening a pipe would block.
const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const APPEND = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/** Null: no such file, or a link. */
function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error) => {
    if (['ENOENT', 'ELOOP'].includes(error.code)) return null
    throw error
  })
}

/** Returns the new end. Takes back the partial write of a disk that fills up. */
async function writeWholly(file: FileHandle, pieces: readonly Buffer[], offset: number): Promise<number> {
  let end = offset
  try {
    for (const piece of pieces)
      for (let written = 0; written < piece.length; ) {
        const { bytesWritten } = await file.write(piece, written, piece.length - written, end)
        written += bytesWritten
        end += bytesWritten
      }
    return end
  } catch (error) {
    await file.truncate(offset)
    throw error
  }
}

/** Runs work with the same key in order; other keys do not wait. */
function oneAtATime(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const done = before.then(work)
    const settled = done.then(nothing, nothing)
    last.set(key, settled)
    settled.then(() => last.get(key) === settled && last.delete(key))
    return done
  }
}

function nothing(): void {}

import { BreakwaterError } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'
import { openRunFile } from './run-file.ts'

/** Longer than any line that is written: a file without line ends is damaged, and must not fill the memory. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024

export type Line = {
  text: string
  /** From 1. */
  number: number
  /** False for a last line that no line end follows: its writer may have been stopped in the middle. */
  terminated: boolean
}

/**
 * Reads a text file line by line, never more of it at once than a chunk, until `onLine` answers 'stop'. Empty lines are left
 * out. Answers false where there is no such file. Throws a BreakwaterError (usage) where it cannot be read.
 */
export async function readLines(file: string, onLine: (line: Line) => 'stop' | undefined): Promise<boolean> {
  try {
    for await (const lines of lineBatches(file)) {
      for (const line of lines) if (onLine(line) === 'stop') return true
    }
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  return true
}

/**
 * The lines of a text file, a chunk's at a time; empty ones are left out. Throws a BreakwaterError (usage) where it cannot be
 * read; `isMissing` tells whether it is not there.
 */
async function* lineBatches(file: string): AsyncGenerator<Line[], void, undefined> {
  let rest = ''
  let number = 0
  try {
    const handle = await openRunFile(file)
    const chunks = handle.createReadStream({ encoding: 'utf8', highWaterMark: 256 * 1024 })
    for await (const chunk of chunks) {
      const text: string = rest + chunk
      const lines: Line[] = []
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        number += 1
        if (end > start) lines.push({ text: text.slice(start, end), number, terminated: true })
        start = end + 1
      }
      rest = text.slice(start)
      yield lines
      if (rest.length > LINE_LENGTH_MAX) break
    }
  } catch (cause) {
    throw cannotRead(file, cause)
  }
  if (rest !== '') yield [{ text: rest, number: number + 1, terminated: false }]
}

/** Why a file of a run could not be read. */
export function cannotRead(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be read: ${fileFailure(cause)}`, {
    hint: 'A run folder holds it as a file that k6 wrote. Restore it, or remove it to render the run without it.',
    cause,
  })
}

/** Whether reading failed because there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof BreakwaterError && (error.cause as NodeJS.ErrnoException).code === 'ENOENT' // as: of node:fs
}

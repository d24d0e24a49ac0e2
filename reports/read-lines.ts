import { createReadStream } from 'node:fs'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'

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
  let rest = ''
  let number = 0
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
      const text: string = rest + chunk
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        number += 1
        if (end > start && onLine({ text: text.slice(start, end), number, terminated: true }) === 'stop') {
          return true
        }
        start = end + 1
      }
      rest = text.slice(start)
      if (rest.length > LINE_LENGTH_MAX) break
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false // as: errors of node:fs carry a code
    throw new BreakwaterError(`${file}: cannot be read: ${fileFailure(error)}`, {
      hint: 'A run folder holds it as a file that k6 wrote. Restore it, or remove it to render the run without it.',
      cause: error,
    })
  }
  if (rest !== '') onLine({ text: rest, number: number + 1, terminated: false })
  return true
}

import type { Block } from '../../simulator/chain/block.ts'
import type { OutputFile } from '../output-file.ts'
import { eventLines } from './event-lines.ts'

export type EventLog = {
  add(block: Block): void
  /** Writes what has not been written yet. */
  flush(): void
  /** Lines so far. */
  count(): number
}

/** A system call for every megabyte, about: one a line would take longer than the chain itself. */
const BUFFER_LENGTH = 2 ** 20

/** Writes the events of blocks as NDJSON. */
export function createEventLog(file: Pick<OutputFile, 'write'>): EventLog {
  let buffer = ''
  let lines = 0
  const flush = () => {
    file.write(buffer)
    buffer = ''
  }
  return {
    add(block) {
      for (const line of eventLines(block)) {
        buffer += `${line}\n`
        lines++
      }
      if (buffer.length >= BUFFER_LENGTH) flush()
    },
    flush,
    count: () => lines,
  }
}

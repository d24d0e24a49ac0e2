import type { Block } from '../../simulator/chain/block.ts'
import type { OutputFile } from '../output-file.ts'

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

/** A line of JSON for each event of the block, and for each refused transaction: docs/formats.md says what stands in them. */
export function eventLines({ height, timeMs, receipts }: Block): readonly string[] {
  return receipts.flatMap(({ id, sender, kind, refused, events }, index) => {
    const where = { block: height, atMs: timeMs, receipt: index, transaction: id, sender, kind }
    if (refused !== null) return [JSON.stringify({ ...where, refused })]
    return events.map((event) => JSON.stringify({ ...where, event }, amountsAsDigits))
  })
}

function amountsAsDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

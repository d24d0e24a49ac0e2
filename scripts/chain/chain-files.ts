import { resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Block } from '../../simulator/chain/block.ts'
import type { Io } from '../io.ts'
import { type OutputFile, openOutputFile } from '../output-file.ts'

export type ChainFileNames = {
  /** A dump to go on from. */
  fromDump?: string
  /** Path for the events. */
  events?: string
  /** Path for the final world. */
  dump?: string
}

export type ChainFiles = {
  events: OutputFile | undefined
  dump: OutputFile | undefined
  finish(): void
  discard(): void
}

/** Opens the output files before anything is mined, so that a bad name fails immediately. Throws a BreakwaterError. */
export async function openChainFiles(
  names: ChainFileNames,
  { cwd, interrupted }: Pick<Io, 'cwd' | 'interrupted'>,
): Promise<ChainFiles> {
  requireApart(names, cwd)
  const files: OutputFile[] = []
  const open = async (shown: string | undefined): Promise<OutputFile | undefined> => {
    if (shown === undefined) return undefined
    const file = await openOutputFile({ file: resolve(cwd, shown), shown, interrupted })
    files.push(file)
    return file
  }
  const discard = () => {
    for (const file of files) file.discard()
  }
  try {
    return {
      events: await open(names.events),
      dump: await open(names.dump),
      finish() {
        for (const file of files) file.finish()
      },
      discard,
    }
  } catch (error) {
    discard()
    throw error
  }
}

/** The events would replace the dump; a dump may well replace the one that was loaded. */
function requireApart(names: ChainFileNames, cwd: string): void {
  const { events } = names
  if (events === undefined) return
  for (const [option, file] of [
    ['--from-dump', names.fromDump],
    ['--dump', names.dump],
  ] as const) {
    if (file === undefined || resolve(cwd, file) !== resolve(cwd, events)) continue
    throw new BreakwaterError(`--events and ${option} name one file: ${events}`, {
      hint: 'Each needs a file of its own.',
    })
  }
}

type EventLog = {
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

/** A line of JSON for each event of the block, and for each refused transaction: docs/reference/formats.md describes the fields. */
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

import { createHash } from 'node:crypto'
import { WorldError } from './world-error.ts'
import type { WorldFixture } from './world-fixture.ts'

/** What a world was made from. */
export type WorldOrigin = { fixture: WorldFixture; seed: number; accounts: readonly string[] }

const FORMAT = 'breakwater-world'
/** To be raised with every change of what a world's state is made of: one of another version would be misread. */
const VERSION = 1
const NEWLINE = 10

/** A line of JSON that says what it is, and where the world came from; then the state. The sum is over all but itself. */
export function writeDump(origin: WorldOrigin, state: Buffer): Buffer {
  const { fixture, seed, accounts } = origin
  const sha256 = sumOf({ fixture, seed, accounts }, state)
  const header = { format: FORMAT, version: VERSION, sha256, fixture, seed, accounts }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), state])
}

/** Throws WorldError dump_foreign, dump_version, dump_damaged. `source` names the dump in messages. */
export function readDump(dump: Buffer, source: string): { origin: WorldOrigin; state: Buffer } {
  const end = dump.indexOf(NEWLINE)
  const header = end === -1 ? undefined : parseHeader(dump.subarray(0, end))
  if (header?.format !== FORMAT) {
    throw new WorldError('dump_foreign', `${source}: expected a dump of a world, found something else`, {
      hint: 'Name a file that was written by a dump of a world.',
    })
  }
  if (header.version !== VERSION) {
    throw new WorldError(
      'dump_version',
      `${source}: expected a dump of version ${VERSION}, found version ${header.version}`,
      { hint: 'Dump the world anew with this release, or load it with the one that wrote it.' },
    )
  }
  const { fixture, seed, accounts } = header as unknown as WorldOrigin // as: unless the sum below is wrong
  const state = dump.subarray(end + 1)
  const sum = sumOf({ fixture, seed, accounts }, state)
  if (sum !== header.sha256) {
    throw new WorldError('dump_damaged', `${source}: expected the sha256 ${header.sha256}, found ${sum}`, {
      hint: 'The file is cut short or changed: copy or dump it again.',
    })
  }
  return { origin: { fixture, seed, accounts }, state }
}

type Header = { format?: unknown; version?: unknown; sha256?: unknown }

function parseHeader(bytes: Buffer): Header | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function sumOf(origin: WorldOrigin, state: Buffer): string {
  return createHash('sha256')
    .update(`${JSON.stringify(origin)}\n`)
    .update(state)
    .digest('hex')
}

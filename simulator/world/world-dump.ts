import { createHash } from 'node:crypto'
import { deserialize } from 'node:v8'
import type { WorldFixture } from '../world-fixture.ts'
import { WorldError } from './world-error.ts'

/** What a world was made from. */
export type WorldOrigin = { fixture: WorldFixture; seed: number; accounts: readonly string[] }

const FORMAT = 'breakwater-world'
/** To be raised with every change of what a world's state is made of, which world-shape.test.ts notices: it would be misread. */
export const VERSION = 5
const NEWLINE = 10

/** What the sum is over, with the state: `node` is the release that serialised it. */
type Summed = WorldOrigin & { node: string }

/** A line of JSON that says what it is, and where the world came from; then the state, as node:v8 serialises it. */
export function writeDump({ fixture, seed, accounts }: WorldOrigin, state: Buffer): Buffer {
  const summed = { node: process.version, fixture, seed, accounts }
  const header = { format: FORMAT, version: VERSION, sha256: sumOf(summed, state), ...summed }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), state])
}

/**
 * Where the world came from, and the state that was written. Throws WorldError dump_foreign, dump_version, dump_damaged.
 * `source` names the dump in messages.
 */
export function readDump(dump: Buffer, source: string): { origin: WorldOrigin; state: unknown } {
  const end = dump.indexOf(NEWLINE)
  const header = end === -1 ? undefined : parseHeader(dump.subarray(0, end))
  if (header?.format !== FORMAT || typeof header.version !== 'number') {
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
  const { node, fixture, seed, accounts } = header as unknown as Summed // as: unless the sum below is wrong
  const state = dump.subarray(end + 1)
  const sum = sumOf({ node, fixture, seed, accounts }, state)
  if (sum !== header.sha256) {
    throw new WorldError('dump_damaged', `${source}: expected the sha256 ${header.sha256}, found ${sum}`, {
      hint: 'The file is cut short or changed: copy or dump it again.',
    })
  }
  return { origin: { fixture, seed, accounts }, state: deserializeState(state, { node, source }) }
}

/** The format of node:v8 is read by the release that wrote it and by later ones. */
function deserializeState(state: Buffer, { node, source }: { node: string; source: string }): unknown {
  try {
    return deserialize(state)
  } catch (cause) {
    throw new WorldError(
      'dump_version',
      `${source}: expected a dump that Node ${process.version} can read, found one that Node ${node} wrote`,
      {
        hint: 'Load it with the release of Node that wrote it or a later one, or dump the world anew.',
        cause,
      },
    )
  }
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

function sumOf(summed: Summed, state: Buffer): string {
  return createHash('sha256')
    .update(`${JSON.stringify(summed)}\n`)
    .update(state)
    .digest('hex')
}

import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { suggestNames } from '../../contract/suggest-names.ts'
import type { Clock } from '../clock.ts'
import type { Random, RandomState } from '../random.ts'
import type { Part } from '../undo-log.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { putInPlace, WorldError, type WorldState } from './world-state.ts'

export type Snapshots = {
  include<Saved>(part: Part<Saved>): void
  /** Saves everything except the state: small enough to keep from the start. */
  saveContext(): Context
  /** Adopts the state of another world, which ends there, and restores `context`. Drops snapshots. */
  startOver(state: WorldState, context: Context): void
  /** Saves everything: the state, the clock, the random streams, the included parts. */
  save(): Buffer
  restore(saved: unknown): void
  /** Stores a save; returns its id. Throws WorldError snapshots_full. */
  take(): string
  /** Reverts to a snapshot, which is kept; later ones are dropped. Throws WorldError snapshot_unknown. */
  revert(id: string): void
  drop(id: string): void
}

/** Each holds a whole world, so a test that forgets to drop them must fail. */
const SNAPSHOTS_MAX = 32

/** The clock, the random streams and the included parts. */
export type Context = {
  random: RandomState
  nowMs: number
  parts: Map<string, unknown>
}

type Saved = Context & { state: WorldState }

export function createSnapshots(options: { state: WorldState; clock: Clock; random: Random }): Snapshots {
  const { state, clock, random } = options
  const parts = new Map<string, Part>()
  const kept = new Map<string, Buffer>()
  /** Parts of a loaded dump: a part that joins later starts from them. */
  let loaded = new Map<string, unknown>()
  let taken = 0

  const context = (): Context => ({
    random: random.save(),
    nowMs: clock.nowMs(),
    parts: new Map([...parts].map(([name, part]) => [name, part.save()])),
  })
  const save = (): Buffer => {
    const saved: Saved = { state, ...context() }
    return serialize(saved)
  }
  const restore = (contents: unknown): void => {
    const saved = contents as Saved // as: written by save
    putInPlace(state, saved.state)
    random.restore(saved.random)
    clock.restoreTo(saved.nowMs)
    loaded = saved.parts
    for (const [name, part] of parts) if (loaded.has(name)) part.restore(loaded.get(name))
  }
  const find = (id: string): Buffer => {
    const bytes = kept.get(id)
    if (bytes) return bytes
    const known = kept.size === 0 ? 'no snapshots exist' : suggestNames(id, [...kept.keys()])
    throw new WorldError('snapshot_unknown', `no snapshot named "${id}": ${known}`, {
      hint: 'A revert drops the snapshots taken after the one that it goes back to.',
    })
  }

  return {
    save,
    saveContext: () => structuredClone(context()),
    startOver(newState, savedContext) {
      kept.clear()
      restore({ state: newState, ...structuredClone(savedContext) })
    },
    restore,
    include(part) {
      if (parts.has(part.name)) throw new RangeError(`the part named ${part.name} is included already`)
      parts.set(part.name, part as Part) // as: it gets back what it saved itself
      if (loaded.has(part.name)) part.restore(loaded.get(part.name) as Parameters<typeof part.restore>[0])
    },
    take() {
      if (kept.size >= SNAPSHOTS_MAX) {
        throw new WorldError('snapshots_full', `expected at most ${SNAPSHOTS_MAX} snapshots`, {
          hint: 'Drop a snapshot, or revert to an early one, which drops the later ones.',
        })
      }
      const id = `snapshot-${++taken}`
      kept.set(id, save())
      return id
    },
    revert(id) {
      const bytes = find(id)
      const ids = [...kept.keys()]
      for (const later of ids.slice(ids.indexOf(id) + 1)) kept.delete(later)
      restore(deserialize(bytes))
    },
    drop(id) {
      find(id)
      kept.delete(id)
    },
  }
}

export type WorldOrigin = { fixture: WorldFixture; seed: number; accounts: readonly string[] }

const FORMAT = 'breakwater-world'
/** Raise it with every change of the state's structure, which world-shape.test.ts detects: an old dump would be misread. */
export const VERSION = 6
const NEWLINE = 10

/** Input of the checksum, with the state: `node` is the release that serialized it. */
type Summed = WorldOrigin & { node: string }

/** One JSON line that identifies the dump and the world's origin; then the state, serialized by node:v8. */
export function writeDump({ fixture, seed, accounts }: WorldOrigin, state: Buffer): Buffer {
  const summed = { node: process.version, fixture, seed, accounts }
  const header = { format: FORMAT, version: VERSION, sha256: computeChecksum(summed, state), ...summed }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), state])
}

/** Throws WorldError dump_foreign, dump_version, dump_damaged. `source` names the dump in messages. */
export function readDump(dump: Buffer, source: string): { origin: WorldOrigin; state: unknown } {
  const end = dump.indexOf(NEWLINE)
  const header = end === -1 ? undefined : parseHeader(dump.subarray(0, end))
  if (header?.format !== FORMAT || typeof header.version !== 'number') {
    throw new WorldError('dump_foreign', `${source}: not a dump of a world`, {
      hint: 'Expected a file that `breakwater chain --dump FILE` wrote.',
    })
  }
  if (header.version !== VERSION) {
    throw new WorldError(
      'dump_version',
      `${source}: expected a dump of version ${VERSION}, found version ${header.version}`,
      { hint: 'Dump the world again with this release, or load it with the one that wrote it.' },
    )
  }
  const { node, fixture, seed, accounts } = header as unknown as Summed // as: unless the sum below is wrong
  const state = dump.subarray(end + 1)
  const sum = computeChecksum({ node, fixture, seed, accounts }, state)
  if (sum !== header.sha256) {
    throw new WorldError('dump_damaged', `${source}: expected the sha256 ${header.sha256}, found ${sum}`, {
      hint: 'The file is truncated or modified: copy or dump it again.',
    })
  }
  return { origin: { fixture, seed, accounts }, state: deserializeState(state, { node, source }) }
}

/** Releases of Node read the node:v8 format of their own and earlier ones. */
function deserializeState(state: Buffer, { node, source }: { node: string; source: string }): unknown {
  try {
    return deserialize(state)
  } catch (cause) {
    throw new WorldError(
      'dump_version',
      `${source}: expected a dump that Node ${process.version} can read, found one that Node ${node} wrote`,
      {
        hint: 'Load it with the release of Node that wrote it or a later one, or dump the world again.',
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

function computeChecksum(summed: Summed, state: Buffer): string {
  return createHash('sha256')
    .update(`${JSON.stringify(summed)}\n`)
    .update(state)
    .digest('hex')
}

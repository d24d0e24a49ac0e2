import { deserialize, serialize } from 'node:v8'
import type { Clock } from '../clock.ts'
import type { Part } from '../part.ts'
import type { Random, RandomState } from '../random.ts'
import { WorldError } from './world-error.ts'
import { putInPlace, type WorldState } from './world-state.ts'

export type Snapshots = {
  include<Saved>(part: Part<Saved>): void
  /** All but the state: little, so that it may be kept from the start on. */
  saveBeside(): Beside
  /** The state of another world, which ends there, and what stood beside this one. Snapshots are dropped. */
  startOver(state: WorldState, beside: Beside): void
  /** Everything: the state, the clock, the random streams, the parts included. */
  save(): Buffer
  /** What `save` gave, deserialised. */
  restore(saved: unknown): void
  /** Keeps what save gives; returns its id. Throws WorldError snapshots_full. */
  take(): string
  /** Back to a snapshot, which is kept; later ones are dropped. Throws WorldError snapshot_unknown. */
  revert(id: string): void
  /** Throws WorldError snapshot_unknown. */
  drop(id: string): void
}

/** Each holds a whole world, so a test that forgets to drop them shall hear of it. */
const SNAPSHOTS_MAX = 32

/** The clock, the random streams and the parts included. */
export type Beside = {
  random: RandomState
  nowMs: number
  parts: Map<string, unknown>
}

type Saved = Beside & { state: WorldState }

/** No snapshot yet, and nothing beside the world in it: parts join later. */
export function createSnapshots(options: { state: WorldState; clock: Clock; random: Random }): Snapshots {
  const { state, clock, random } = options
  const parts = new Map<string, Part>()
  const kept = new Map<string, Buffer>()
  /** Of a world loaded from a dump: a part that joins later starts from it. */
  let loaded = new Map<string, unknown>()
  let taken = 0

  const beside = (): Beside => ({
    random: random.save(),
    nowMs: clock.nowMs(),
    parts: new Map([...parts].map(([name, part]) => [name, part.save()])),
  })
  const save = (): Buffer => {
    const saved: Saved = { state, ...beside() }
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
    const known = kept.size === 0 ? 'there is none' : `expected one of ${[...kept.keys()].join(', ')}`
    throw new WorldError('snapshot_unknown', `no snapshot named "${id}": ${known}`, {
      hint: 'A revert drops the snapshots taken after the one that it goes back to.',
    })
  }

  return {
    save,
    saveBeside: () => structuredClone(beside()),
    startOver(stateAnew, besideThen) {
      kept.clear()
      restore({ state: stateAnew, ...structuredClone(besideThen) })
    },
    restore,
    include(part) {
      if (parts.has(part.name)) throw new RangeError(`a part named ${part.name} is included already`)
      parts.set(part.name, part as Part) // as: it gets back what it saved itself
      if (loaded.has(part.name)) part.restore(loaded.get(part.name) as Parameters<typeof part.restore>[0])
    },
    take() {
      if (kept.size >= SNAPSHOTS_MAX) {
        throw new WorldError('snapshots_full', `expected at most ${SNAPSHOTS_MAX} snapshots at a time`, {
          hint: 'Drop one that is needed no more, or revert to an early one, which drops those after it.',
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

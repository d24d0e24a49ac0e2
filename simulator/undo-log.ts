/**
 * Undo log of a state: records the previous value of each change by block, and reverts changes from the last to the first. A
 * journal is plain data that references the state's containers, so save and load both in one graph. The owner of a journal must
 * change the state only through these functions. Undoing also restores the order of entries: a map from which entries are deleted
 * must hold values with a `sequence`, ascending in order of insertion; a set, ascending numbers.
 */
export type Journal = {
  /** Maximum number of blocks to undo; older ones are dropped. */
  readonly depthMax: number
  readonly blocks: Change[][]
}

type AnyMap = Map<unknown, unknown>

export type Change =
  | { kind: 'entry'; map: AnyMap; key: unknown; had: boolean; before: unknown }
  | { kind: 'entries'; map: AnyMap; before: readonly (readonly [unknown, unknown])[] }
  | { kind: 'member'; set: Set<unknown>; item: unknown; had: boolean }
  | { kind: 'members'; set: Set<unknown>; before: readonly unknown[] }
  | { kind: 'fields'; target: object; before: object }
  | { kind: 'item'; array: unknown[]; index: number; before: unknown }
  | { kind: 'length'; array: unknown[]; before: number }
  | { kind: 'items'; array: unknown[]; before: readonly unknown[] }

/** Maximum depth of a reorg for chain and indexer. */
export const REORG_DEPTH_MAX = 64

export function createJournal(options: { depthMax: number }): Journal {
  return { depthMax: options.depthMax, blocks: [] }
}

export function openBlock({ blocks, depthMax }: Journal): void {
  blocks.push([])
  if (blocks.length > depthMax) blocks.shift()
}

/** Reverts the last block's changes; throws RangeError without a recorded block. */
export function undoBlock({ blocks }: Journal): void {
  const changes = blocks.pop()
  if (!changes) throw new RangeError('the journal has no block to undo')
  const disordered = new Set<AnyMap | Set<unknown>>()
  for (let place = changes.length - 1; place >= 0; place--) undo(changes[place] as Change, disordered) // as: within bounds
  for (const container of disordered) restoreOrder(container)
}

/** Redirects recorded field changes from a replaced object to its replacement. */
export function retarget({ blocks }: Journal, from: object, to: object): void {
  for (const changes of blocks)
    for (const change of changes) if (change.kind === 'fields' && change.target === from) change.target = to
}

export function putEntry<Key, Value>(journal: Journal, map: Map<Key, Value>, key: Key, value: Value): void {
  rememberEntry(journal, map, key)
  map.set(key, value)
}

/** Call before an entry is set. */
export function rememberEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): void {
  const before = map.get(key)
  const had = before !== undefined || map.has(key)
  write(journal, { kind: 'entry', map: map as AnyMap, key, had, before })
}

/** Call before any change to a small map. */
export function rememberEntries(journal: Journal, map: Map<unknown, unknown>): void {
  write(journal, { kind: 'entries', map, before: [...map] })
}

export function removeEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): boolean {
  if (!map.has(key)) return false
  write(journal, { kind: 'entry', map: map as AnyMap, key, had: true, before: map.get(key) })
  return map.delete(key)
}

/** Adds to a set; records nothing if it has the item already. */
export function addMember<Item>(journal: Journal, set: Set<Item>, item: Item): void {
  if (set.has(item)) return
  write(journal, { kind: 'member', set: set as Set<unknown>, item, had: false })
  set.add(item)
}

/** Requires a set of ascending numbers, or one whose order is never read. */
export function removeMember<Item>(journal: Journal, set: Set<Item>, item: Item): boolean {
  if (!set.has(item)) return false
  write(journal, { kind: 'member', set: set as Set<unknown>, item, had: true })
  return set.delete(item)
}

export function rememberMembers(journal: Journal, set: Set<unknown>): void {
  write(journal, { kind: 'members', set, before: [...set] })
}

/** Sets fields of an object; undoing sets fields that it did not have to undefined. */
export function setFields<Target extends object>(
  journal: Journal,
  target: Target,
  fields: Partial<Target>,
): void {
  const before: Partial<Target> = {}
  for (const name of Object.keys(fields) as (keyof Target)[]) before[name] = target[name] // as: Partial's own keys
  write(journal, { kind: 'fields', target, before })
  Object.assign(target, fields)
}

/** Call before the fields in `before`, copied by the caller, change. */
export function rememberFields<Target extends object>(
  journal: Journal,
  target: Target,
  before: Partial<Target>,
): void {
  write(journal, { kind: 'fields', target, before })
}

/** Sets an existing item of the array and records the previous one. */
export function setItem<Item>(journal: Journal, array: Item[], index: number, item: Item): void {
  rememberItem(journal, array, index)
  array[index] = item
}

/** Call before an item is set, or appended at the end. */
export function rememberItem(journal: Journal, array: unknown[], index: number): void {
  if (index < array.length) write(journal, { kind: 'item', array, index, before: array[index] })
  else write(journal, { kind: 'length', array, before: array.length })
}

export function append<Item>(journal: Journal, array: Item[], item: Item): void {
  write(journal, { kind: 'length', array, before: array.length })
  array.push(item)
}

export function rememberItems(journal: Journal, array: unknown[]): void {
  write(journal, { kind: 'items', array, before: [...array] })
}

/** Changes before the first block are permanent. */
function write({ blocks }: Journal, change: Change): void {
  blocks[blocks.length - 1]?.push(change)
}

function undo(change: Change, disordered: Set<AnyMap | Set<unknown>>): void {
  switch (change.kind) {
    case 'entry': {
      const { map, key, had, before } = change
      if (!had) map.delete(key)
      else {
        if (!map.has(key)) disordered.add(map)
        map.set(key, before)
      }
      return
    }
    case 'entries':
      change.map.clear()
      for (const [key, value] of change.before) change.map.set(key, value)
      return
    case 'member':
      if (!change.had) change.set.delete(change.item)
      else disordered.add(change.set.add(change.item))
      return
    case 'members':
      change.set.clear()
      for (const item of change.before) change.set.add(item)
      return
    case 'fields':
      Object.assign(change.target, change.before)
      return
    case 'item':
      change.array[change.index] = change.before
      return
    case 'length':
      change.array.length = change.before
      return
    case 'items':
      change.array.splice(0, change.array.length, ...change.before)
      return
  }
}

function restoreOrder(container: AnyMap | Set<unknown>): void {
  if (container instanceof Set) {
    const items = [...container].sort((a, b) => Number(a) - Number(b))
    container.clear()
    for (const item of items) container.add(item)
    return
  }
  const entries = [...container].sort(([, a], [, b]) => getSequence(a) - getSequence(b))
  container.clear()
  for (const [key, value] of entries) container.set(key, value)
}

/** 0 for a value without a sequence: sorting is stable, so such a map keeps the order in which its entries came back. */
function getSequence(value: unknown): number {
  return (value as { sequence?: number } | null)?.sequence ?? 0
}

/** State saved with the world: `save` returns plain data, which is copied at once; `restore` receives a copy to keep. */
export type Saves<Saved> = { save(): Saved; restore(saved: Saved): void }

/** Named state outside the world. */
export type Part<Saved = unknown> = Saves<Saved> & { name: string }

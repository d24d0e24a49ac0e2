/**
 * How a state goes back: each change is written down with what was there before, block by block, and undone from the last
 * to the first. A journal is plain data beside the state whose containers it names, so both are saved and loaded together,
 * in one graph.
 *
 * Whoever keeps a journal changes the state through these functions alone. Undoing restores the order of entries too: a map
 * from which entries are taken holds values with a `sequence`, ascending in the order of insertion; a set, ascending numbers.
 */
export type Journal = {
  /** How many blocks can be undone; older ones are forgotten. */
  readonly depthMax: number
  /** The changes of each block, oldest first. */
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

/** How far chain and indexer can go back. */
export const REORG_DEPTH_MAX = 64

/** An empty journal, which will remember so many blocks. */
export function createJournal(options: { depthMax: number }): Journal {
  return { depthMax: options.depthMax, blocks: [] }
}

/** From here on changes belong to a new block. */
export function openBlock({ blocks, depthMax }: Journal): void {
  blocks.push([])
  if (blocks.length > depthMax) blocks.shift()
}

/** Takes the last block's changes back; throws RangeError where none is kept. */
export function undoBlock({ blocks }: Journal): void {
  const changes = blocks.pop()
  if (!changes) throw new RangeError('the journal keeps no block to undo')
  const disordered = new Set<AnyMap | Set<unknown>>()
  for (let place = changes.length - 1; place >= 0; place--) undo(changes[place] as Change, disordered) // as: within bounds
  for (const container of disordered) restoreOrder(container)
}

/** To be called when one object has taken another's place: fields that would have been set back there are set back here. */
export function retarget({ blocks }: Journal, from: object, to: object): void {
  for (const changes of blocks)
    for (const change of changes) if (change.kind === 'fields' && change.target === from) change.target = to
}

/** Sets an entry of a map, and writes down what was there. */
export function putEntry<Key, Value>(journal: Journal, map: Map<Key, Value>, key: Key, value: Value): void {
  rememberEntry(journal, map, key)
  map.set(key, value)
}

/** To be called before an entry is put. */
export function rememberEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): void {
  const before = map.get(key)
  const had = before !== undefined || map.has(key)
  write(journal, { kind: 'entry', map: map as AnyMap, key, had, before })
}

/** To be called before a small map changes in any way. */
export function rememberEntries(journal: Journal, map: Map<unknown, unknown>): void {
  write(journal, { kind: 'entries', map, before: [...map] })
}

/** Whether the entry was there. */
export function removeEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): boolean {
  if (!map.has(key)) return false
  write(journal, { kind: 'entry', map: map as AnyMap, key, had: true, before: map.get(key) })
  return map.delete(key)
}

/** Adds to a set; nothing is written where it has the item already. */
export function addMember<Item>(journal: Journal, set: Set<Item>, item: Item): void {
  if (set.has(item)) return
  write(journal, { kind: 'member', set: set as Set<unknown>, item, had: false })
  set.add(item)
}

/** From a set of ascending numbers, or one whose order nobody reads. */
export function removeMember<Item>(journal: Journal, set: Set<Item>, item: Item): boolean {
  if (!set.has(item)) return false
  write(journal, { kind: 'member', set: set as Set<unknown>, item, had: true })
  return set.delete(item)
}

/** To be called before a small set changes in any way. */
export function rememberMembers(journal: Journal, set: Set<unknown>): void {
  write(journal, { kind: 'members', set, before: [...set] })
}

/** Sets fields of an object; those that it did not have are undefined once undone. */
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

/** To be called before an object's fields change: those of `before`, which the caller has copied. */
export function rememberFields<Target extends object>(
  journal: Journal,
  target: Target,
  before: Partial<Target>,
): void {
  write(journal, { kind: 'fields', target, before })
}

/** Sets an item that the array has, and writes down the one before. */
export function setItem<Item>(journal: Journal, array: Item[], index: number, item: Item): void {
  rememberItem(journal, array, index)
  array[index] = item
}

/** To be called before an item is set, or the one at the end appended. */
export function rememberItem(journal: Journal, array: unknown[], index: number): void {
  if (index < array.length) write(journal, { kind: 'item', array, index, before: array[index] })
  else write(journal, { kind: 'length', array, before: array.length })
}

/** Adds an item at the end of an array, and writes down how long it was. */
export function append<Item>(journal: Journal, array: Item[], item: Item): void {
  write(journal, { kind: 'length', array, before: array.length })
  array.push(item)
}

/** To be called before a small array changes in any way. */
export function rememberItems(journal: Journal, array: unknown[]): void {
  write(journal, { kind: 'items', array, before: [...array] })
}

/** Changes before the first block stand for ever. */
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
  const entries = [...container].sort(([, a], [, b]) => sequenceOf(a) - sequenceOf(b))
  container.clear()
  for (const [key, value] of entries) container.set(key, value)
}

/** 0 for a value without one: sorting is stable, so such a map keeps the order in which its entries came back. */
function sequenceOf(value: unknown): number {
  return (value as { sequence?: number } | null)?.sequence ?? 0
}

/** What goes back with the world: `save` gives plain data, which is copied at once, and `restore` gets a copy to keep. */
export type Saves<Saved> = { save(): Saved; restore(saved: Saved): void }

/** What stands beside the world, by a name of its own. */
export type Part<Saved = unknown> = Saves<Saved> & { name: string }

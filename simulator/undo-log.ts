/**
 * Undo log of a state: records the previous value of each change by block, and reverts changes from the last to the first. A
 * journal is plain data that references the state's containers, so save and load both in one graph. The owner of a journal must
 * change the state only through these functions. Undoing also restores the order of entries: a map from which entries are deleted
 * must hold values with a `sequence`, ascending in order of insertion; a set, ascending numbers.
 */
export type Journal = {
  /** Maximum number of blocks to undo; older ones are dropped. */
  readonly depthMax: number
  readonly blocks: Changes[]
}

/**
 * The changes of a block, four items each: kind, container, key, and value before. A swap makes about 35, which outlive many
 * garbage collections: as objects they would cost more.
 */
export type Changes = unknown[]

export const CHANGE_WIDTH = 4

type AnyMap = Map<unknown, unknown>

type Kind =
  /** An entry that the map had, or did not have; all of its entries. */
  | 'entry'
  | 'new-entry'
  | 'entries'
  | 'member'
  | 'new-member'
  | 'members'
  | 'fields'
  | 'item'
  | 'length'
  | 'items'

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
  for (let place = changes.length - CHANGE_WIDTH; place >= 0; place -= CHANGE_WIDTH)
    undo(changes, place, disordered)
  for (const container of disordered) restoreOrder(container)
}

/** Redirects recorded field changes from a replaced object to its replacement. */
export function retarget({ blocks }: Journal, from: object, to: object): void {
  for (const changes of blocks)
    for (let place = 0; place < changes.length; place += CHANGE_WIDTH)
      if (changes[place] === 'fields' && changes[place + 1] === from) changes[place + 1] = to
}

/** The objects whose fields changed, each with copies of the previous ones. */
export function* fieldChanges(changes: Changes): Generator<{ target: object; before: object }> {
  for (let place = 0; place < changes.length; place += CHANGE_WIDTH)
    if (changes[place] === 'fields')
      yield { target: changes[place + 1] as object, before: changes[place + 3] as object } // as: of fields
}

/** `before` is the present value, for callers that know it. */
export function putEntry<Key, Value>(
  journal: Journal,
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  before = map.get(key),
): void {
  writeEntry(journal, map, key, before)
  map.set(key, value)
}

/** Call before an entry is set. */
export function rememberEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): void {
  writeEntry(journal, map, key, map.get(key))
}

function writeEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key, before: unknown): void {
  const had = before !== undefined || map.has(key)
  write(journal, had ? 'entry' : 'new-entry', map, key, before)
}

/** Call before any change to a small map. */
export function rememberEntries(journal: Journal, map: Map<unknown, unknown>): void {
  write(journal, 'entries', map, undefined, [...map])
}

export function removeEntry<Key>(journal: Journal, map: Map<Key, unknown>, key: Key): boolean {
  if (!map.has(key)) return false
  write(journal, 'entry', map, key, map.get(key))
  return map.delete(key)
}

/** Adds to a set; records nothing if it has the item already. */
export function addMember<Item>(journal: Journal, set: Set<Item>, item: Item): void {
  if (set.has(item)) return
  write(journal, 'new-member', set, item)
  set.add(item)
}

/** Requires a set of ascending numbers, or one whose order is never read. */
export function removeMember<Item>(journal: Journal, set: Set<Item>, item: Item): boolean {
  if (!set.has(item)) return false
  write(journal, 'member', set, item)
  return set.delete(item)
}

export function rememberMembers(journal: Journal, set: Set<unknown>): void {
  write(journal, 'members', set, undefined, [...set])
}

/** Sets fields of an object; undoing sets fields that it did not have to undefined. */
export function setFields<Target extends object>(
  journal: Journal,
  target: Target,
  fields: Partial<Target>,
): void {
  const before: Partial<Target> = {}
  for (const name of Object.keys(fields) as (keyof Target)[]) before[name] = target[name] // as: Partial's own keys
  write(journal, 'fields', target, undefined, before)
  Object.assign(target, fields)
}

/** Call before the fields in `before`, copied by the caller, change. */
export function rememberFields<Target extends object>(
  journal: Journal,
  target: Target,
  before: Partial<Target>,
): void {
  write(journal, 'fields', target, undefined, before)
}

/** Sets an existing item of the array and records the previous one. */
export function setItem<Item>(journal: Journal, array: Item[], index: number, item: Item): void {
  rememberItem(journal, array, index)
  array[index] = item
}

/** Call before an item is set, or appended at the end. */
export function rememberItem(journal: Journal, array: unknown[], index: number): void {
  if (index < array.length) write(journal, 'item', array, index, array[index])
  else write(journal, 'length', array, undefined, array.length)
}

export function append<Item>(journal: Journal, array: Item[], item: Item): void {
  write(journal, 'length', array, undefined, array.length)
  array.push(item)
}

export function rememberItems(journal: Journal, array: unknown[]): void {
  write(journal, 'items', array, undefined, [...array])
}

/** Changes before the first block are permanent. */
function write({ blocks }: Journal, kind: Kind, container: object, key?: unknown, before?: unknown): void {
  blocks[blocks.length - 1]?.push(kind, container, key, before)
}

/** Each kind's container and value are as its function above wrote them. */
function undo(changes: Changes, place: number, disordered: Set<AnyMap | Set<unknown>>): void {
  const [kind, container, key, before] = changes.slice(place, place + CHANGE_WIDTH)
  const map = container as AnyMap
  const set = container as Set<unknown>
  const array = container as unknown[]
  switch (kind as Kind) {
    case 'new-entry':
      map.delete(key)
      return
    case 'entry':
      if (!map.has(key)) disordered.add(map)
      map.set(key, before)
      return
    case 'entries':
      map.clear()
      for (const [name, value] of before as [unknown, unknown][]) map.set(name, value)
      return
    case 'new-member':
      set.delete(key)
      return
    case 'member':
      disordered.add(set.add(key))
      return
    case 'members':
      set.clear()
      for (const item of before as unknown[]) set.add(item)
      return
    case 'fields':
      Object.assign(container as object, before)
      return
    case 'item':
      array[key as number] = before
      return
    case 'length':
      array.length = before as number
      return
    case 'items':
      array.splice(0, array.length, ...(before as unknown[]))
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

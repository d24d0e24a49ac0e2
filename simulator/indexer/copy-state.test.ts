import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSmallWorld } from '../world/test-small-world.ts'
import { copyState, immutableRows } from './copy-state.ts'
import { copyIndexer } from './indexer.ts'

const primitives = fc.oneof(
  ...[fc.string(), fc.bigInt(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, -0)],
)
const { graph } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, primitives, tie('graph')),
  graph: fc.oneof(
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
  ),
}))
const links = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 3 })

test('copies any graph as structuredClone does, and shares no object with it', () => {
  let linkedSome = false
  fc.assert(
    fc.property(graph, links, (drawn, linked) => {
      // Links change the graph, which fast-check would draw from again.
      const root = structuredClone({ drawn, links: new Map() })
      const objects = [...reach(root)]
      for (const [from, to] of linked) {
        const source = objects[from % objects.length]
        const target = objects[to % objects.length]
        root.links.set(source, target)
        if (Array.isArray(source)) source.push(target)
        linkedSome = true
      }
      const copy = copyState(root)
      expect(outline(copy)).toEqual(outline(structuredClone(root)))
      const originals = reach(root)
      expect([...reach(copy)].filter((object) => originals.has(object)).length).toBe(0)
    }),
  )
  expect(linkedSome).toBe(true)
})

test('refuses what a copy would change', () => {
  expect(() => copyState({ at: new Date(0) })).toThrow('copyState: not plain data')
})

test('a replica shares the immutable rows of an index and nothing else', () => {
  const { world } = createSmallWorld(3)
  world.mine(40)
  const { index } = world.state()
  const copy = copyIndexer({ state: index }).state
  expect(outline(copy)).toEqual(outline(index))
  const rows = new Set([...immutableRows(index)].flatMap((row) => [...reach(row)]))
  const originals = reach(index)
  const shared = [...reach(copy)].filter((object) => originals.has(object))
  expect(shared.length).toBe(rows.size)
  expect(shared.filter((object) => !rows.has(object)).length).toBe(0)
})

/** All objects that the value refers to, itself included. */
function reach(value: unknown): Set<object> {
  const found = new Set<object>()
  const enter = (object: object): boolean => found.size === found.add(object).size
  visit(value, enter, () => {})
  return found
}

/** A list for toEqual: contents in order, and which references lead to the same object. */
function outline(value: unknown): unknown[] {
  const lines: unknown[] = []
  const places = new Map<object, number>()
  const enter = (object: object): boolean => {
    const known = places.get(object)
    lines.push(known === undefined ? object.constructor.name : `object ${known}`)
    places.set(object, known ?? places.size)
    return known !== undefined
  }
  visit(value, enter, (primitive) => lines.push(primitive))
  return lines
}

/** Visits all contents in order; `enter` returns whether the object is known already. */
function visit(value: unknown, enter: (object: object) => boolean, read: (value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) read(value)
  else if (!enter(value)) for (const item of contentsOf(value)) visit(item, enter, read)
}

function contentsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat(1)
  return value instanceof Set || Array.isArray(value) ? [...value] : Object.entries(value).flat(1)
}

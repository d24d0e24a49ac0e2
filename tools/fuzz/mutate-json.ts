/** Changes a JSON value in a few places, so that most of it stays valid. */
import type { Draw } from './draw.ts'
import { hostileNumber, hostileText, hostileValue } from './hostile-values.ts'

type Container = Record<string, unknown> | unknown[]
type Place = { parent: Container; key: string | number }

/** The JSON text of the value after some changes; each may be undone by the next. */
export function mutatedJson(value: unknown, draw: Draw): string {
  // One level more, so that the outermost value has a place too.
  const root = { value: structuredClone(value) }
  const changes = draw.weighted([
    [5, 1],
    [3, 2],
    [2, draw.int(3, 8)],
  ])
  for (let change = 0; change < changes; change++) {
    const places = placesIn(root)
    draw.weighted(CHANGES)(draw.pick(places), draw, places)
  }
  return textOf(root.value)
}

type Change = (place: Place, draw: Draw, places: readonly Place[]) => unknown

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  // Of its own type first: what passes a schema gets further.
  [8, (place, draw) => set(place, ofItsType(get(place), draw))],
  [3, (place, draw) => set(place, hostileValue(draw))],
  [2, (place, _, places) => place !== places[0] && remove(place)],
  [2, (place, draw, places) => set(place, structuredClone(get(draw.pick(places))))],
  [1, (place) => set(place, [get(place)])],
  [1, (place, draw) => set(place, { [hostileText(draw)]: get(place) })],
  [1, (place) => set(place, String(get(place)))],
  [2, addMember],
  [1, repeatItem],
]

/** Every value but the outermost holder, as the holder and the key; deep ones are as likely as others. */
function placesIn(container: Container): Place[] {
  const found: Place[] = []
  const walk = (parent: Container) => {
    const keys = Array.isArray(parent) ? [...parent.keys()] : Object.keys(parent)
    for (const key of keys) {
      found.push({ parent, key })
      const inner = get({ parent, key })
      if (isContainer(inner)) walk(inner)
    }
  }
  walk(container)
  return found
}

function ofItsType(value: unknown, draw: Draw): unknown {
  if (typeof value === 'string') return draw.chance(0.3) ? withInside(value, draw) : hostileText(draw)
  if (typeof value === 'number')
    return draw.chance(0.4)
      ? draw.pick([value + 1, -value, value * 1e6, value / 3, Math.trunc(value)])
      : hostileNumber(draw)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return draw.chance(0.5) ? [] : value.toReversed()
  return hostileValue(draw)
}

function withInside(text: string, draw: Draw): string {
  const at = draw.int(0, text.length)
  return text.slice(0, at) + hostileText(draw) + text.slice(at)
}

function addMember({ parent, key }: Place, draw: Draw): void {
  const inner = get({ parent, key })
  const into = isContainer(inner) ? inner : parent
  if (Array.isArray(into)) into.splice(draw.int(0, into.length), 0, hostileValue(draw))
  else set({ parent: into, key: hostileText(draw) }, hostileValue(draw))
}

function repeatItem(place: Place, draw: Draw): void {
  const inner = get(place)
  if (Array.isArray(inner) && inner.length > 0) {
    const item = draw.pick(inner)
    // Enough to be too many, and not so many that the file itself is the case.
    const times = Math.min(2000, Math.floor(1_000_000 / (JSON.stringify(item) ?? '').length + 1))
    for (let time = 0; time < times; time++) inner.push(item)
  } else if (typeof inner === 'string') set(place, inner.repeat(draw.int(2, 50)).slice(0, 1_000_000))
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

function get({ parent, key }: Place): unknown {
  return (parent as Record<string | number, unknown>)[key] // as: lists and objects alike
}

/** Also the key `__proto__`, which would set something else. */
function set({ parent, key }: Place, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

const MARK = '@raw@'

/** As JSON.stringify writes it, and what is raw as it is. */
function textOf(value: unknown): string {
  const raws: string[] = []
  const text =
    JSON.stringify(value, (_, one: unknown) => {
      if (!isContainer(one) || Array.isArray(one) || typeof one.raw !== 'string') return one
      raws.push(one.raw)
      return `${MARK}${raws.length - 1}`
    }) ?? ''
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, 'g'), (_, index: string) => raws[Number(index)] ?? '')
}

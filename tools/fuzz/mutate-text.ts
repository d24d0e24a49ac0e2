/** Damages files: the structure of JSON and NDJSON, the bytes of any text. */
import { type Draw, hostileNumber, hostileText, hostileValue } from './draw.ts'

/** A place in a JSON value to change; few changes keep most of it valid. */
type Container = Record<string, unknown> | unknown[]
type Place = { parent: Container; key: string | number }

/** Serializes the value after some changes, which may undo each other. */
export function mutateJson(value: unknown, draw: Draw): string {
  // Wrapped, so that the outermost value has a place too.
  const root = { value: structuredClone(value) }
  const changes = draw.weighted([
    [5, 1],
    [3, 2],
    [2, draw.int(3, 8)],
  ])
  for (let change = 0; change < changes; change++) {
    const places = listPlaces(root)
    draw.weighted(CHANGES)(draw.pick(places), draw, places)
  }
  return serialize(root.value)
}

type Change = (place: Place, draw: Draw, places: readonly Place[]) => unknown

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  // Values of the same type pass more of a schema.
  [8, (place, draw) => set(place, drawSameType(get(place), draw))],
  [3, (place, draw) => set(place, hostileValue(draw))],
  [2, (place, _, places) => place !== places[0] && remove(place)],
  [2, (place, draw, places) => set(place, structuredClone(get(draw.pick(places))))],
  [1, (place) => set(place, [get(place)])],
  [1, (place, draw) => set(place, { [hostileText(draw)]: get(place) })],
  [1, (place) => set(place, String(get(place)))],
  [2, addMember],
  [1, repeatItem],
]

/** Every value below the root with its container and key; depth does not matter. */
function listPlaces(container: Container): Place[] {
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

function drawSameType(value: unknown, draw: Draw): unknown {
  if (typeof value === 'string') return draw.chance(0.3) ? insertHostileText(value, draw) : hostileText(draw)
  if (typeof value === 'number')
    return draw.chance(0.4)
      ? draw.pick([value + 1, -value, value * 1e6, value / 3, Math.trunc(value)])
      : hostileNumber(draw)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return draw.chance(0.5) ? [] : value.toReversed()
  return hostileValue(draw)
}

function insertHostileText(text: string, draw: Draw): string {
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
    // Exceeds limits without making the file itself too large.
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

/** Also sets the key `__proto__`, which assignment would treat specially. */
function set({ parent, key }: Place, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** Marks a raw value, which is inserted verbatim because JSON.stringify cannot write it. */
const MARK = '@raw@'

function serialize(value: unknown): string {
  const raws: string[] = []
  const text =
    JSON.stringify(value, (_, one: unknown) => {
      if (!isContainer(one) || Array.isArray(one) || typeof one.raw !== 'string') return one
      raws.push(one.raw)
      return `${MARK}${raws.length - 1}`
    }) ?? ''
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, 'g'), (_, index: string) => raws[Number(index)] ?? '')
}

/** Damages a file according to its extension. */
export function mutateFile(name: string, text: string, draw: Draw): Buffer {
  const changed = draw.chance(0.85) ? mutateText(name, text, draw) : text
  return changed === text || draw.chance(0.12) ? draw.weighted(DAMAGES)(changed, draw) : Buffer.from(changed)
}

function mutateText(name: string, text: string, draw: Draw): string {
  if (name.endsWith('.ndjson')) return mutateLines(text, draw)
  if (name.endsWith('.json')) return mutateJson(JSON.parse(text), draw)
  return insertText(text, hostileText(draw), draw)
}

function mutateLines(text: string, draw: Draw): string {
  const lines = text.trimEnd().split('\n')
  const changes = draw.int(1, 4)
  for (let change = 0; change < changes; change++) draw.weighted(LINE_CHANGES)(lines, draw)
  return `${lines.join('\n')}\n`
}

type LineChange = (lines: string[], draw: Draw) => void

const LINE_CHANGES: readonly (readonly [weight: number, change: LineChange])[] = [
  [10, (lines, draw) => edit(lines, draw, (line) => mutateLine(line, draw))],
  // The header and the end matter most.
  [2, (lines, draw) => lines.splice(0, 1, mutateLine(lines[0] ?? '{}', draw))],
  [1, (lines, draw) => lines.splice(-1, 1, mutateLine(lines.at(-1) ?? '{}', draw))],
  [
    1,
    (lines, draw) =>
      lines.splice(
        draw.int(0, lines.length),
        0,
        ...Array(draw.int(1, 500)).fill(lines[draw.int(0, lines.length)] ?? ''),
      ),
  ],
  [1, (lines, draw) => lines.splice(draw.int(0, lines.length), draw.int(1, 20))],
  [1, (lines) => lines.reverse()],
  [1, (lines, draw) => lines.splice(draw.int(0, lines.length), 0, hostileText(draw))],
  [1, (lines, draw) => edit(lines, draw, (line) => line.slice(0, draw.int(0, line.length)))],
]

function edit(lines: string[], draw: Draw, change: (line: string) => string): void {
  if (lines.length === 0) return
  const at = draw.int(0, lines.length - 1)
  lines[at] = change(lines[at] ?? '')
}

function mutateLine(line: string, draw: Draw): string {
  try {
    return mutateJson(JSON.parse(line), draw)
  } catch {
    return insertText(line, hostileText(draw), draw)
  }
}

type Damage = (text: string, draw: Draw) => Buffer

const INVALID = [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0], [0x80]].map(
  (bytes) => Buffer.from(bytes),
)

const DAMAGES: readonly (readonly [weight: number, damage: Damage])[] = [
  [4, (text, draw) => Buffer.from(text.slice(0, draw.int(0, text.length)))],
  [1, () => Buffer.alloc(0)],
  [2, (text) => Buffer.from(`\ufeff${text}`)],
  [1, (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  [3, (text, draw) => insertBytes(text, draw.pick(INVALID), draw)],
  [1, (text) => Buffer.from(text.repeat(2))],
  [1, (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
  [2, (text) => Buffer.from(text.replaceAll(/"(\w+)":/g, '"$1":null,"$1":'))],
  [1, (text, draw) => Buffer.from(insertText(text, ' '.repeat(1_000_000), draw))],
  [1, (text, draw) => Buffer.from(insertText(text, '\0'.repeat(1000), draw))],
  [1, (text) => Buffer.from(text.replaceAll('\n', ' '))],
  [1, (_, draw) => Buffer.from('x'.repeat(draw.int(1, 20_000_000)))],
]

function insertText(text: string, part: string, draw: Draw): string {
  const at = draw.int(0, text.length)
  return text.slice(0, at) + part + text.slice(at)
}

function insertBytes(text: string, part: Buffer, draw: Draw): Buffer {
  const bytes = Buffer.from(text)
  const at = draw.int(0, bytes.length)
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
}

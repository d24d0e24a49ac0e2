import { type TimelineLine, timelineLineSchema } from '../contract/run.ts'
import { readLines } from './run-lines.ts'

export type TimelineRead = {
  lines: TimelineLine[]
  notes: string[]
}

export async function readTimeline(file: string): Promise<TimelineRead | undefined> {
  const lines: TimelineLine[] = []
  let malformed = 0
  const found = await readLines(file, ({ text }) => {
    const line = readLine(text)
    if (line === undefined) malformed++
    else lines.push(line)
    return undefined
  })
  if (!found) return undefined
  const notes =
    malformed === 0
      ? []
      : [`${malformed} of ${malformed + lines.length} lines of timeline.ndjson are invalid.`]
  return { lines, notes }
}

function readLine(text: string): TimelineLine | undefined {
  try {
    return timelineLineSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** A swim lane: one actor, or several with the same events. */
export type Lane = { actors: readonly string[]; lines: readonly TimelineLine[] }

const LANES_MAX = 60

/**
 * A lane for each actor, in order of appearance. If there are too many, actors whose events differ only in numbers
 * share a lane.
 */
export function foldActors(lines: readonly TimelineLine[]): Lane[] {
  const byActor = groupBy(lines, ({ actor }) => actor)
  if (byActor.size <= LANES_MAX) return [...byActor].map(([actor, own]) => ({ actors: [actor], lines: own }))
  return [...groupBy([...byActor], ([, own]) => normalizeLines(own)).values()].map((alike) => ({
    actors: alike.map(([actor]) => actor),
    lines: alike.flatMap(([, own]) => own).sort((a, b) => a.number - b.number),
  }))
}

function normalizeLines(lines: readonly TimelineLine[]): string {
  return lines.map(({ kind, text, rule = '' }) => `${kind} ${text.replace(NUMBER, '#')} ${rule}`).join('\n')
}

export const NUMBER = /\d+(\.\d+)?/g

/** Groups are in the order of their first item. */
export function groupBy<Item>(
  items: readonly Item[],
  getKey: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = getKey(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** Maps a line to its x position from 0 to 1. */
export type Scale = {
  at(line: TimelineLine): number
  ticks: readonly { at: number; text: string }[]
  name: string
}

const TICKS = 6
/** Closer ticks would overlap. */
const TICK_GAP = 0.09

const MOMENTS_ENOUGH = 200

/** By time if events spread over time; by order if most of them share few moments. */
export function createScale(lines: readonly TimelineLine[]): Scale {
  const times = lines.map(({ atMs }) => atMs)
  const first = least(times)
  const span = -least(times.map((ms) => -ms)) - first
  const moments = new Set(times).size
  return moments > MOMENTS_ENOUGH || moments * 3 > lines.length ? byTime({ first, span }) : byOrder(lines)
}

function byTime({ first, span }: { first: number; span: number }): Scale {
  return {
    at: ({ atMs }) => (atMs - first) / Math.max(1, span),
    ticks: Array.from({ length: TICKS }, (_, index) => {
      const at = index / (TICKS - 1)
      return { at, text: secondsText(first + at * span) }
    }),
    name: 'time',
  }
}

function byOrder(lines: readonly TimelineLine[]): Scale {
  const at = (index: number) => index / Math.max(1, lines.length - 1)
  const placeByNumber = new Map(lines.map(({ number }, index) => [number, at(index)]))
  const ticks: { at: number; text: string }[] = []
  for (const [index, { atMs }] of lines.entries()) {
    const last = ticks.at(-1)
    const text = secondsText(atMs)
    if (last === undefined || (last.text !== text && at(index) - last.at >= TICK_GAP))
      ticks.push({ at: at(index), text })
  }
  return {
    at: ({ number }) => placeByNumber.get(number) ?? 0,
    ticks,
    name: 'order of events (simultaneous ones side by side)',
  }
}

/** Too many numbers to pass as arguments to Math.min. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}

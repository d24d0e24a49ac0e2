import { isMissing, type Line } from '../run-file.ts'
import type { Cursor } from './bytes.ts'
import { type LeanPoint, readFigures, readTime, setPoint } from './lean-point.ts'
import { type LineChunk, lineChunks } from './line-chunks.ts'
import { createLineKeys } from './line-keys.ts'
import { type LineRead, readHeader, readPoint } from './point.ts'
import type { SeriesSums } from './series-sums.ts'

export type SeriesInput = {
  file: string
  /** In messages. */
  name: string
  /** Values of the tag `trial` whose points are not read; none, where left out. */
  withoutTrials?: ReadonlySet<string>
}

/** A series file that is read second by second, as far as it is whole. */
export type SeriesSource = {
  /** That of the next line; undefined at the end. */
  second(): Promise<number | undefined>
  /** Adds the lines of that second that come next. */
  addSecond(second: number, into: Into): Promise<void>
  /** Once all was read: whether it came to its end line, and what is wrong with it, in sentences. */
  complete(): boolean
  notes(): string[]
  close(): Promise<void>
}

/**
 * Opens a file for reading second by second. A file that is damaged ends before the damage, and one that is missing at once: `notes`
 * tells it. Throws a BreakwaterError (usage) where it cannot be read.
 */
export function openSource({ file, name, withoutTrials }: SeriesInput): SeriesSource {
  const chunks = lineChunks(file)
  const lines = createSeriesLines(name, withoutTrials)
  /** Of what can be peeked at; undefined at the end. */
  const second = async () => {
    for (;;) {
      const next = lines.peek()
      if (next !== undefined || lines.isOver()) return next
      const read = await chunks.next().catch((error) => {
        if (!isMissing(error)) throw error
        lines.finish(`${name} is missing.`)
      })
      if (read?.value) lines.load(read.value)
      else lines.finish()
    }
  }
  return {
    second,
    async addSecond(wanted, into) {
      while ((await second()) === wanted) {
        while (lines.peek() === wanted) lines.add(wanted, into)
      }
    },
    complete: lines.complete,
    notes: lines.notes,
    async close() {
      await chunks.return()
    },
  }
}

/** The lines of one file, chunk after chunk, up to its end or its first damaged line. */
type SeriesLines = {
  load(chunk: LineChunk): void
  /** The second of the line that comes next; undefined where the chunk, or all, has been read. */
  peek(): number | undefined
  /** Adds the line that comes next, which is of that second. */
  add(second: number, into: Into): void
  /** Nothing comes after what was loaded; or nothing was there at all. */
  finish(wrong?: string): void
  isOver(): boolean
  complete(): boolean
  /** What is wrong with the file, in sentences. */
  notes(): string[]
}

/** Where lines add up, and a place to read them into. */
type Into = { sums: SeriesSums; point: LeanPoint }

const LINE_END = 0x0a

/** `name` is the file's in messages; `withoutTrials` are values of the tag `trial` whose points are not added. */
function createSeriesLines(name: string, withoutTrials: ReadonlySet<string> = new Set()): SeriesLines {
  const clock = watchClock(name)
  const findKey = createLineKeys()
  const cursor: Cursor = { bytes: Buffer.alloc(0), at: 0 }
  let terminated = true
  /** Of the line at the cursor, from 1; and where its key stands, if it is written as k6's output does. */
  let number = 1
  let keyAt = -1
  let state: 'header' | 'points' | 'over' = 'header'
  let ended = false
  let wrong: string | undefined

  const line = (): Line => {
    const { bytes, at } = cursor
    return { text: bytes.toString('utf8', at, bytes.indexOf(LINE_END, at)), number, terminated }
  }
  const toNextLine = () => {
    cursor.at = cursor.bytes.indexOf(LINE_END, cursor.at) + 1
    number += 1
  }
  /** Of a line that is not as it usually is, or not a point. */
  const readOther = (): LineRead => {
    const read = state === 'header' ? readHeader(line(), name) : readPoint(line(), name, () => true)
    if (read.kind === 'header') state = 'points'
    else if (read.kind !== 'point') state = 'over'
    if (read.kind === 'damage') wrong = read.damage
    ended ||= read.kind === 'end'
    return read
  }
  const peekTime = (): number => {
    const { at } = cursor
    const second = readTime(cursor)
    keyAt = second === -1 ? -1 : cursor.at
    cursor.at = at
    return second
  }
  const addLean = (second: number, { sums, point }: Into): boolean => {
    const { at } = cursor
    cursor.at = keyAt
    const key = keyAt === -1 ? undefined : findKey(cursor, sums)
    if (key === undefined || !readFigures(cursor, key.type, point)) {
      cursor.at = at
      return false
    }
    number += 1
    clock.see(second)
    if (!withoutTrials.has(key.trial)) sums.add(key.sum, point)
    return true
  }
  return {
    load(chunk) {
      terminated = chunk.terminated
      cursor.bytes = chunk.bytes
      cursor.at = 0
    },
    peek() {
      while (state !== 'over' && cursor.at < cursor.bytes.length) {
        if (cursor.bytes[cursor.at] !== LINE_END) {
          const second = state === 'points' ? peekTime() : -1
          if (second !== -1) return second
          const read = readOther()
          if (read.kind === 'point') return read.point.time
        }
        toNextLine()
      }
      return undefined
    },
    add(second, into) {
      if (addLean(second, into)) return
      const read = readOther()
      if (read.kind !== 'point') return
      toNextLine()
      clock.see(second)
      if (withoutTrials.has(read.point.tags.trial ?? '')) return
      setPoint(into.point, read.point)
      into.sums.add(into.sums.of(read.point), into.point)
    },
    finish(missing) {
      if (state === 'header') wrong ??= missing ?? `${name} is empty.`
      state = 'over'
    },
    isOver: () => state === 'over',
    complete: () => ended,
    notes: () => [
      ...(wrong === undefined ? [] : [wrong]),
      ...(ended || wrong !== undefined
        ? []
        : [`${name} has no end: its k6 was stopped, or its disk was full.`]),
      ...clock.notes(),
    ],
  }
}

/** Notes where the seconds of one series file go back, or leap. */
type ClockWatch = {
  see(second: number): void
  /** By how much it has jumped on, all in all: seconds less these go on evenly. */
  jumpedSeconds(): number
  notes(): string[]
}

/**
 * k6 hands samples over late by no more than a request takes, and writes gauges every second; between two trials of a search
 * stand some seconds.
 */
const BACK_SECONDS_MAX = 60
const LEAP_SECONDS_MAX = 120

/** `file` is its name in messages. A clock that is put right by a moment is not told of: only jumps that spoil rates are. */
export function watchClock(file: string): ClockWatch {
  let before: number | undefined
  let jumps = 0
  let jumped = 0
  let first: string | undefined
  return {
    see(second) {
      const by = before === undefined ? 0 : second - before
      before = second
      if (by >= -BACK_SECONDS_MAX && by <= LEAP_SECONDS_MAX) return
      jumps += 1
      jumped += by
      first ??= `${by < 0 ? 'back' : 'on'} by ${spanText(Math.abs(by))} at ${new Date((second - by) * 1000).toISOString()}`
    },
    jumpedSeconds: () => jumped,
    notes() {
      if (first === undefined) return []
      const what = jumps === 1 ? `in ${file}: ${first}` : `${jumps} times in ${file}, at first ${first}`
      return [
        `The clock of the load generator jumped ${what}. Counts and latencies hold; rates over time, and where in time things stand, do not.`,
      ]
    },
  }
}

function spanText(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= 2 * each) ?? SECOND
  return `${Math.round(seconds / length)} ${unit}`
}

const SECOND = ['s', 1] as const
/** From the longest on; each from two of it on. */
const UNITS: readonly (readonly [string, number])[] = [['days', 86_400], ['h', 3600], ['min', 60], SECOND]

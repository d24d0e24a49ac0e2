import { pickRows, pickText } from '../pick.ts'
import type { Walk } from '../requests/walk.ts'

export type SortField = { field: string; compare: 'number' | 'text' | 'time' }

/**
 * How rows stand under a sort: the first place where they are out of order, told in words, and how many neighbours differ,
 * so that order can be told at all. Rows whose field is null or unreadable are passed over: their place is not stated.
 */
export function compareRows(
  rows: readonly unknown[],
  options: { sort: SortField; order: 'asc' | 'desc' },
): { disorder: string | undefined; differing: number } {
  const { sort, order } = options
  const values = rows
    .map((row) => pickText(row, sort.field))
    .filter((value) => value !== undefined && READABLE[sort.compare](value))
  let differing = 0
  for (let index = 1; index < values.length; index++) {
    const [before = '', after = ''] = values.slice(index - 1, index + 1)
    const difference = COMPARE[sort.compare](before, after)
    if (difference !== 0) differing++
    if (order === 'asc' ? difference > 0 : difference < 0) {
      return { disorder: `${before} stands before ${after}`, differing }
    }
  }
  return { disorder: undefined, differing }
}

const READABLE: Record<SortField['compare'], (value: string) => boolean> = {
  number: (value) => /^-?[0-9]+(\.[0-9]+)?$/.test(value),
  text: () => true,
  time: (value) => !Number.isNaN(readTime(value)),
}

const COMPARE: Record<SortField['compare'], (left: string, right: string) => number> = {
  number: compareDecimals,
  text: compareCodePoints,
  time: (left, right) => readTime(left) - readTime(right),
}

/** Exact: figures from a chain hold more digits than a native number. */
function compareDecimals(left: string, right: string): number {
  const scale = Math.max(fraction(left).length, fraction(right).length)
  const difference = scaled(left, scale) - scaled(right, scale)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

function fraction(decimal: string): string {
  return decimal.split('.')[1] ?? ''
}

function scaled(decimal: string, scale: number): bigint {
  const [whole = '0'] = decimal.split('.')
  const digits = BigInt(whole.replace('-', '') + fraction(decimal).padEnd(scale, '0'))
  return decimal.startsWith('-') ? -digits : digits
}

/** Where the texts part, at the first of their UTF-16 units that differ. */
function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at++
  if (at === shorter) return left.length - right.length
  return (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0)
}

/** Seconds, milliseconds (told apart by size) or a date text. */
function readTime(text: string): number {
  if (!/^[0-9]+$/.test(text)) return Date.parse(text)
  return Number(text) < 1e11 ? Number(text) * 1000 : Number(text)
}

/** Pools told apart by tokens and fee, with their keys; those that share all three, or have no key, are left out. */
export function uniqueKeys(rows: readonly Record<string, unknown>[]): Map<string, unknown> {
  const named = rows.filter((row) => typeof row.key === 'string')
  const names = named.map((row) => JSON.stringify([row.token0, row.token1, row.fee]))
  return new Map(
    named
      .map((row, index) => [names[index] ?? '', row.key] as const)
      .filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)),
  )
}

/**
 * A list walked to its end: in one go, or, where it is too long for that, as far as the walk's bound goes (`start`) and then
 * from a place short of the end (`end`, of which `from` is the first row).
 */
export type WholeWalk = { start: Walk; end: Walk; from: number }

export type WalksVerdict = { verdict: 'pass' | 'fail' | 'long' | 'inconclusive'; told: string }

/**
 * What two walks with different page sizes say of whether a list is complete. Its order is not known, so rows cannot be
 * told lost one by one; but whatever the order, a walk to the empty page receives as many rows as the least `total` of
 * its pages said, which may come from replicas that are behind. Rows that come meanwhile only add to that; a list that shrinks makes one walk short, not both.
 * A walk that receives more than the greatest total is long: where both are, again and again, no list that grows explains it.
 */
export function judgeWholeWalks(first: WholeWalk, second: WholeWalk): WalksVerdict {
  const seen = `${tell(first)}; ${tell(second)}`
  const short = [first, second].filter(isShort).length
  const isLonger = isLong(first) && isLong(second)
  const distinct = new Set([first, second].flatMap(({ start }) => keysOf(start))).size
  const expected = Math.min(first.start.total ?? 0, first.start.rows.length)
  const doubts = [
    { holds: short === 1, doubt: 'one walk is short' },
    { holds: !first.end.ended && !second.end.ended, doubt: 'no end came' },
    {
      holds: [first, second].some(({ start }) => keysOf(start).includes('')),
      doubt: 'not all rows have a key',
    },
    { holds: first.start.pages < 3, doubt: 'too few rows to page' },
    {
      holds: distinct < expected,
      doubt: `only ${distinct} different rows, which an order that moves explains as well`,
    },
  ]
  if (isLonger) return { verdict: 'long', told: `more rows than total: ${seen}` }
  if (short === 2) return { verdict: 'fail', told: seen }
  const doubt = doubts.find(({ holds }) => holds)?.doubt
  return doubt === undefined
    ? { verdict: 'pass', told: seen }
    : { verdict: 'inconclusive', told: `${doubt}: ${seen}` }
}

/** At its end, or where no more rows come than those that came, it has fewer than it should. */
function isShort({ end, from }: WholeWalk): boolean {
  return (
    (end.ended || end.stuck !== undefined) &&
    end.leastTotal !== undefined &&
    end.rows.length < end.leastTotal - from
  )
}

/** More rows came than any of its pages counted. */
function isLong({ end, from }: WholeWalk): boolean {
  return end.mostTotal !== undefined && end.rows.length > Math.max(0, end.mostTotal - from)
}

function tell({ start, end, from }: WholeWalk): string {
  const told = `${start.rows.length} rows in ${start.pages} pages, total ${start.total}`
  const stuck = end.stuck === undefined ? '' : `, then ${end.stuck}`
  return start === end ? told + stuck : `${told}, and ${end.rows.length} rows from ${from} on${stuck}`
}

function keysOf(walk: Walk): string[] {
  return walk.rows.map((row) => pickText(row, 'key') ?? '')
}

/** The pools of a swap's route, in order; where it names no hops, the one that it names itself. */
export function poolsOfSwap(swap: unknown): string[] {
  const pools = (pickRows(swap, 'hops') ?? []).flatMap((hop) => pickText(hop, 'pool') ?? [])
  const own = pickText(swap, 'pool')
  return pools.length > 0 || own === undefined ? pools : [own]
}

/** A text to search for, and the token that has it. */
export type SearchSubject = { text: string; token: string }

type Row = Record<string, unknown>

/** Words of plain ASCII, of three letters at least: what a search does with all else is not stated. */
const PLAIN = /^[A-Za-z0-9]{3,40}( [A-Za-z0-9]{1,40}){0,5}$/

/**
 * Symbols or names to search for, of the tokens in a page of explore rows: whole values, one word before several, those
 * of few pools first, so that what is found is a short list.
 */
export function searchSubjects(rows: readonly Row[], field: 'Symbol' | 'Name'): SearchSubject[] {
  const sides = rows.flatMap((row) =>
    ['token0', 'token1'].map((side) => ({
      text: pickText(row, `${side}${field}`),
      token: pickText(row, side),
    })),
  )
  const pools = new Map<string, number>()
  for (const { text = '' } of sides) pools.set(text, (pools.get(text) ?? 0) + 1)
  const plain = sides.filter(
    (side): side is SearchSubject =>
      side.text !== undefined && side.token !== undefined && PLAIN.test(side.text),
  )
  const once = plain.filter(({ text }, index) => plain.findIndex((other) => other.text === text) === index)
  const cost = ({ text }: SearchSubject) => text.split(' ').length * 1000 + (pools.get(text) ?? 0)
  return once.sort((left, right) => cost(left) - cost(right))
}

/** Whether the row is a pool of the token. */
export function tradesToken(row: Row, token: string): boolean {
  return row.token0 === token || row.token1 === token
}

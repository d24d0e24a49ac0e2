import { pickRows, pickText } from '../pick.ts'
import type { Walk } from '../requests/walk.ts'

/**
 * Maps pools, identified by tokens and fee, to their keys. Omits pools without a key and pools that share all
 * three.
 */
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
 * A walk over a whole list. If the list exceeds the walk's bound, `start` stops at the bound and `end` begins
 * near the end of the list, at row `from`.
 */
export type WholeWalk = { start: Walk; end: Walk; from: number }

export type WalksVerdict = { verdict: 'pass' | 'fail' | 'long' | 'inconclusive'; summary: string }

/**
 * Judges from two walks with different page sizes whether a list is complete. The order is unknown, so single
 * rows cannot be proven lost. But a walk to the empty page returns at least as many rows as the smallest
 * `total` of its pages, which may come from lagging replicas. Rows added during a walk only increase the
 * count, and a shrinking list shortens one walk, not both. A walk with more rows than the largest total, or with
 * rows after it had as many as a page's total, is long; if both are long repeatedly, growth cannot explain it.
 */
export function judgeWholeWalks(first: WholeWalk, second: WholeWalk): WalksVerdict {
  const seen = `${describeWalk(first)}; ${describeWalk(second)}`
  const short = [first, second].filter(isShort).length
  const isLonger = isLong(first) && isLong(second)
  const distinct = new Set([first, second].flatMap(({ start }) => listKeys(start))).size
  const expected = Math.min(first.start.total ?? 0, first.start.rows.length)
  const repeats = ({ start }: WholeWalk) => new Set(listKeys(start)).size < start.rows.length
  const objections = [
    { holds: short === 1, doubt: 'one walk is short' },
    { holds: !first.end.ended && !second.end.ended, doubt: 'neither walk reached the end' },
    {
      holds: [first, second].some(({ start }) => listKeys(start).includes('')),
      doubt: 'not all rows have a key',
    },
    { holds: first.start.pages < 3, doubt: 'too few rows to page' },
    {
      holds: distinct < expected,
      doubt: `only ${distinct} different rows, which a changing order may explain`,
    },
    {
      holds: repeats(first) && repeats(second),
      doubt: 'each walk has a row twice, which a changing order may explain',
    },
  ]
  if (isLonger) return { verdict: 'long', summary: `more rows than total: ${seen}` }
  if (short === 2) return { verdict: 'fail', summary: seen }
  const objection = objections.find(({ holds }) => holds)?.doubt
  return objection === undefined
    ? { verdict: 'pass', summary: seen }
    : { verdict: 'inconclusive', summary: `${objection}: ${seen}` }
}

/** The walk ended, or got no new rows, with fewer rows than its smallest total. */
function isShort({ end, from }: WholeWalk): boolean {
  return (
    (end.ended || end.stuck !== undefined) &&
    end.leastTotal !== undefined &&
    end.rows.length < end.leastTotal - from
  )
}

/** More rows than any page's total, or than a page's total when they reached it. */
function isLong({ end, from }: WholeWalk): boolean {
  if (end.reached !== undefined && end.rows.length > end.reached) return true
  return end.mostTotal !== undefined && end.rows.length > Math.max(0, end.mostTotal - from)
}

function describeWalk({ start, end, from }: WholeWalk): string {
  const explanation = `${start.rows.length} rows in ${start.pages} pages, total ${start.total}`
  const stuck = end.stuck === undefined ? '' : `, then ${end.stuck}`
  const { reached = end.rows.length } = end
  const early = reached < end.rows.length ? `, which ${reached} rows had reached` : ''
  return start === end
    ? explanation + early + stuck
    : `${explanation}, and ${end.rows.length} rows from ${from} on${early}${stuck}`
}

function listKeys(walk: Walk): string[] {
  return walk.rows.map((row) => pickText(row, 'key') ?? '')
}

/** The pools of a swap's route in order, or the swap's own pool if it names no hops. */
export function listSwapPools(swap: unknown): string[] {
  const pools = (pickRows(swap, 'hops') ?? []).flatMap((hop) => pickText(hop, 'pool') ?? [])
  const own = pickText(swap, 'pool')
  return pools.length > 0 || own === undefined ? pools : [own]
}

export type SearchSubject = { text: string; token: string }

type Row = Record<string, unknown>

/**
 * Plain ASCII words of three letters or more: the specification does not define a search for anything else.
 */
const PLAIN = /^[A-Za-z0-9]{3,40}( [A-Za-z0-9]{1,40}){0,5}$/

/**
 * Symbols or names of tokens to search for. Single words first, then those with few pools, so that the
 * results fit in one short list.
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

/**
 * The first subjects, with one of a token that is only ever token0 and one of a token that is only ever token1, if rows have
 * them: a search may look at one side.
 */
export function chooseSubjects(
  rows: readonly Row[],
  subjects: readonly SearchSubject[],
  count: number,
): SearchSubject[] {
  const isOnly = (side: string) => {
    const others = new Set(rows.map((row) => row[side === 'token0' ? 'token1' : 'token0']))
    return ({ token }: SearchSubject) => !others.has(token)
  }
  const ofSides = ['token0', 'token1'].flatMap((side) => subjects.find(isOnly(side)) ?? [])
  return [...new Set([...ofSides, ...subjects])].slice(0, count)
}

export function tradesToken(row: Row, token: string): boolean {
  return row.token0 === token || row.token1 === token
}

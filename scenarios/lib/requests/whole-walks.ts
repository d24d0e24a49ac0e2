import { pickText } from '../pick.ts'
import type { Walk } from './walk.ts'

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

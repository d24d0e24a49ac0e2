import { pickText } from '../pick.ts'

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

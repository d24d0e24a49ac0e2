/** The order of rows by a sort field that the profile describes. */
export type SortField = { field: string; compare: 'number' | 'text' | 'time' }

/**
 * Finds the first place where rows are out of order, and counts neighbors that differ: without any, the order
 * proves nothing. Skips rows whose field is null or unreadable, because the specification does not define
 * their position.
 */
export function compareRows(
  rows: readonly unknown[],
  options: { sort: SortField; order: 'asc' | 'desc' },
): { disorder: string | undefined; differing: number } {
  const { sort, order } = options
  const values = rows
    .map((row) => readField(row, sort.field))
    .filter((value) => value !== undefined && READABLE[sort.compare](value))
  let differing = 0
  for (let index = 1; index < values.length; index++) {
    const [before = '', after = ''] = values.slice(index - 1, index + 1)
    const difference = COMPARE[sort.compare](before, after)
    if (difference !== 0) differing++
    if (order === 'asc' ? difference > 0 : difference < 0) {
      return { disorder: `${before} comes before ${after}`, differing }
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

/** Exact, because on-chain amounts exceed the precision of a JS number. */
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

/** Compares by code point at the first UTF-16 unit that differs. */
function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at++
  if (at === shorter) return left.length - right.length
  return (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0)
}

/** Parses a date string, seconds or milliseconds (distinguished by magnitude). */
function readTime(text: string): number {
  if (!/^[0-9]+$/.test(text)) return Date.parse(text)
  return Number(text) < 1e11 ? Number(text) * 1000 : Number(text)
}

function readField(row: unknown, field: string): string | undefined {
  // as: a row may be anything; if it is no object, it has no such field
  const step = (from: unknown, name: string) => (from as Record<string, unknown> | null | undefined)?.[name]
  const value = field.split('.').reduce(step, row)
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

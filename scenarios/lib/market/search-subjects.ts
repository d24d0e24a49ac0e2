import { pickText } from '../pick.ts'

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

import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows, pickText } from '../pick.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { confirm } from './confirm.ts'
import { mustBeServed } from './must-be-served.ts'
import type { Credential, Reply } from './request.ts'

export type Walk = {
  rows: Record<string, unknown>[]
  /** `pagination.total` of the first page; undefined where it is no number. */
  total: number | undefined
  /** The least `pagination.total` of all its pages: a page may come from a replica that is behind. */
  leastTotal: number | undefined
  /** The greatest of them: the list may grow while it is paged. */
  mostTotal: number | undefined
  pages: number
  /** Whether the walk came to an empty page; false where it stopped before. */
  ended: boolean
  /** Where the walk stopped as later pages are an earlier one again: how that was made sure of. */
  stuck?: string
  last: Reply
}

type Row = Record<string, unknown>
type Page = { rows: Row[]; reply: Reply }

/**
 * Pages a list to its end: on by the rows received, never by the limit asked for, until a page is empty (or a bound is
 * reached, or a row is what is looked for). Throws CannotJudge where a page cannot be read; that is NotServed where the
 * plain first page goes on to be served. A list that gives the same page
 * again and again, whatever the offset, is not read to the bound: it is looked at a few times more, and the walk stops.
 */
export async function walkPages(
  target: Target,
  options: {
    path: string
    limit: number
    query?: Record<string, string>
    credential?: Credential
    rowsMax: number
    pagesMax?: number
    /** Rows before the first page; 0 where it is left out. */
    from?: number
    until?: (row: Row) => boolean
  },
): Promise<Walk> {
  const { from = 0, pagesMax = Number.POSITIVE_INFINITY, until = () => false } = options
  const read = async (offset: number): Promise<Page> => {
    const { path, credential } = options
    const limit = String(options.limit)
    const query = { ...options.query, limit, offset: String(offset) }
    const reply = await mustBeServed(
      target,
      { path, query, credential },
      { path, query: { limit }, credential },
    )
    const rows = pickRows(reply.json, 'data')
    if (!rows) throw new CannotJudge(`a page could not be read: ${reply.evidence()}`)
    return { rows, reply }
  }
  const rows: Row[] = []
  let total: number | undefined
  let leastTotal: number | undefined
  let mostTotal: number | undefined
  let before: Page | undefined
  let isSure = false
  for (let pages = 1; ; pages++) {
    const page = await read(from + rows.length)
    const pageTotal = readTotal(page.reply.json)
    if (pages === 1) total = pageTotal
    if (pageTotal !== undefined) {
      leastTotal = Math.min(leastTotal ?? pageTotal, pageTotal)
      mostTotal = Math.max(mostTotal ?? pageTotal, pageTotal)
    }
    if (before !== undefined && !isSure && isSamePage(before, page)) {
      isSure = true
      const offsets = [from + rows.length - before.rows.length, from + rows.length] as const
      const stuck = await makeSureStuck(read, offsets, page)
      if (stuck !== undefined)
        return { rows, total, leastTotal, mostTotal, pages, ended: false, stuck, last: page.reply }
    }
    before = page
    rows.push(...page.rows)
    const ended = page.rows.length === 0
    const isBound = rows.length >= options.rowsMax || pages >= pagesMax
    if (ended || isBound || page.rows.some(until))
      return { rows, total, leastTotal, mostTotal, pages, ended, last: page.reply }
  }
}

/** The same rows at both offsets, several times over; undefined where it was a list that moved by a page. */
async function makeSureStuck(
  read: (offset: number) => Promise<Page>,
  [first, second]: readonly [number, number],
  page: Page,
): Promise<string | undefined> {
  const { outcome, told } = await confirm({
    first: page,
    errorOf: (seen) =>
      isSamePage(seen, page) ? `at offset ${second} the rows of offset ${first}` : undefined,
    again: () => read(second),
    witness: async () => {
      const isStill = isSamePage(await read(first), page)
      return { served: isStill, told: `offset ${first} ${isStill ? 'as before' : 'has moved on'}` }
    },
  })
  return outcome === 'persistent' ? told : undefined
}

/** By what names a row where there is such a field: its figures may change from one read to the next. */
function isSamePage(one: Page, other: Page): boolean {
  return one.rows.length > 0 && one.rows.map(nameOf).join('\n') === other.rows.map(nameOf).join('\n')
}

function nameOf(row: Row): string {
  return pickText(row, 'key') ?? pickText(row, 'id') ?? JSON.stringify(row)
}

/** `pagination.total` of a page; undefined where it is no number. */
export function readTotal(body: unknown): number | undefined {
  const total = pick(body, 'pagination.total')
  return typeof total === 'number' ? total : undefined
}

import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows, pickText } from '../pick.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { confirm } from './confirm.ts'
import { mustBeServed, Refused } from './must-be-served.ts'
import type { Credential, Reply } from './request.ts'

export type Walk = {
  rows: Record<string, unknown>[]
  /** `pagination.total` of the first page; undefined if it is not a number. */
  total: number | undefined
  /**
   * Smallest `pagination.total` of all pages: a page may come from a lagging replica. Omits an empty page whose total is
   * below its offset.
   */
  leastTotal: number | undefined
  /** Largest `pagination.total` of all pages: the list may grow during the walk. */
  mostTotal: number | undefined
  /** Number of rows when a page's `total` was first reached: a client that stops there gets no more. */
  reached?: number | undefined
  pages: number
  /** True if the walk reached an empty page. */
  ended: boolean
  /** Set if later pages repeat an earlier one: how that was confirmed. */
  stuck?: string
  last: Reply
}

type Row = Record<string, unknown>
type Page = { rows: Row[]; reply: Reply }

/**
 * Pages through a list, advancing by the rows received rather than by the limit, until an empty page, a bound
 * or the wanted row. Throws CannotJudge if a page cannot be read, or NotServed if the first page without the
 * query is still served. Only /pools must have an empty page at the end; where another list refuses it, the walk
 * stops. If the list returns the same page for every offset, the walk confirms that and stops.
 */
export async function walkPages(
  target: Target,
  options: {
    path: string
    limit: number
    query?: Record<string, string>
    /** Parts of the query that the target may reject: then a page that is not served proves nothing. */
    open?: Record<string, string>
    credential?: Credential
    rowsMax: number
    pagesMax?: number
    /** Rows before the first page; default 0. */
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
      { path, query: { ...options.open, limit }, credential },
    )
    const rows = pickRows(reply.json, 'data')
    if (!rows) throw new CannotJudge(`cannot read a page: ${reply.evidence()}`)
    return { rows, reply }
  }
  const rows: Row[] = []
  let total: number | undefined
  let leastTotal: number | undefined
  let mostTotal: number | undefined
  let reached: number | undefined
  let before: Page | undefined
  let wasChecked = false
  const sumUp = (pages: number, last: Reply) => ({
    rows,
    total,
    leastTotal,
    mostTotal,
    reached,
    pages,
    last,
  })
  for (let pages = 1; ; pages++) {
    const offset = from + rows.length
    const isAtEnd = options.path !== '/pools' && leastTotal !== undefined && offset >= leastTotal
    const page = await read(offset).catch((error: unknown) => {
      if (isAtEnd && error instanceof Refused) return undefined
      throw error
    })
    if (page === undefined) {
      if (before === undefined) throw new CannotJudge(`no page at offset ${offset}`)
      return { ...sumUp(pages - 1, before.reply), ended: false }
    }
    const pageTotal = readTotal(page.reply.json)
    if (pages === 1) total = pageTotal
    if (pageTotal !== undefined) {
      if (page.rows.length > 0 || pageTotal >= offset)
        leastTotal = Math.min(leastTotal ?? pageTotal, pageTotal)
      mostTotal = Math.max(mostTotal ?? pageTotal, pageTotal)
    }
    if (before !== undefined && !wasChecked && startsAgain(before, page, options.limit)) {
      wasChecked = true
      const offsets = [from + rows.length - before.rows.length, from + rows.length] as const
      const stuck = await confirmStuck(read, offsets, { pages: [before, page] })
      if (stuck !== undefined) return { ...sumUp(pages, page.reply), ended: false, stuck }
    }
    before = page
    rows.push(...page.rows)
    if (pageTotal !== undefined && from + rows.length >= pageTotal) reached ??= rows.length
    const ended = page.rows.length === 0
    const isAtBound = rows.length >= options.rowsMax || pages >= pagesMax
    if (ended || isAtBound || page.rows.some(until)) return { ...sumUp(pages, page.reply), ended }
  }
}

/** True if a row that the walk did not find is missing: it reached the end, or all rows fit in its first page. */
export function isMissingIn(walk: Pick<Walk, 'ended' | 'total'>, { limit }: { limit: number }): boolean {
  return walk.ended || (walk.total !== undefined && walk.total <= limit)
}

/**
 * Confirms that the later offset returns the first row of the earlier one: two reads in turn, each time; undefined if the list only
 * moved by a page.
 */
async function confirmStuck(
  read: (offset: number) => Promise<Page>,
  [first, second]: readonly [number, number],
  { pages }: { pages: readonly [Page, Page] },
): Promise<string | undefined> {
  let [before] = pages
  const { outcome, explanation } = await confirm<readonly [Page, Page]>({
    first: pages,
    describeError: (seen) =>
      repeats(...seen) ? `offset ${second} has the rows of offset ${first}` : undefined,
    again: async () => {
      before = await read(first)
      return [before, await read(second)]
    },
    witness: async () => {
      const isUnchanged = repeats(before, await read(first))
      return { served: isUnchanged, explanation: `offset ${first} ${isUnchanged ? 'unchanged' : 'changed'}` }
    },
  })
  return outcome === 'persistent' ? explanation : undefined
}

/** The later page repeats the earlier one. After a page that is not full, it must be the same: a list may count offsets in another way. */
function startsAgain(before: Page, page: Page, limit: number): boolean {
  if (before.rows.length >= limit) return repeats(before, page)
  const [rows, later] = [before, page].map((one) => one.rows.map(identifyRow).join('\n'))
  return rows !== '' && rows === later
}

/**
 * The later page has the first row and half of the rows of the earlier one: new ones may come before them. Compares rows by key or id
 * if present, because their figures may change between reads.
 */
function repeats(before: Page, page: Page): boolean {
  const [rows, later] = [before.rows.map(identifyRow), page.rows.map(identifyRow)]
  const [first] = rows
  return (
    first !== undefined &&
    later.includes(first) &&
    rows.filter((row) => later.includes(row)).length >= rows.length / 2
  )
}

function identifyRow(row: Row): string {
  return pickText(row, 'key') ?? pickText(row, 'id') ?? pickText(row, 'swap_id') ?? JSON.stringify(row)
}

/** Returns `pagination.total`; undefined if it is not a number. */
export function readTotal(body: unknown): number | undefined {
  const total = pick(body, 'pagination.total')
  return typeof total === 'number' ? total : undefined
}

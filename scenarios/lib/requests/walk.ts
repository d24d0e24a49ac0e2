import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows } from '../pick.ts'
import { CannotJudge } from '../probe/cannot.ts'
import type { Credential, Reply } from './request.ts'
import { requestParsed } from './request-parsed.ts'

export type Walk = {
  rows: Record<string, unknown>[]
  /** `pagination.total` of the first page; undefined where it is no number. */
  total: number | undefined
  pages: number
  /** Whether the walk came to an empty page; false where it stopped before. */
  ended: boolean
  last: Reply
}

/**
 * Pages a list to its end: on by the rows received, never by the limit asked for, until a page is empty (or a bound is
 * reached, or a row is what is looked for). Throws CannotJudge where a page cannot be read.
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
    until?: (row: Record<string, unknown>) => boolean
  },
): Promise<Walk> {
  const { from = 0, pagesMax = Number.POSITIVE_INFINITY, until = () => false } = options
  const rows: Record<string, unknown>[] = []
  let total: number | undefined
  for (let pages = 1; ; pages++) {
    const reply = await requestParsed(target, {
      path: options.path,
      query: { ...options.query, limit: String(options.limit), offset: String(from + rows.length) },
      credential: options.credential,
    })
    const page = pickRows(reply.json, 'data')
    if (reply.status !== 200 || !page) throw new CannotJudge(`a page could not be read: ${reply.evidence()}`)
    if (pages === 1) total = readTotal(reply.json)
    rows.push(...page)
    const ended = page.length === 0
    const isBound = rows.length >= options.rowsMax || pages >= pagesMax
    if (ended || isBound || page.some(until)) return { rows, total, pages, ended, last: reply }
  }
}

/** `pagination.total` of a page; undefined where it is no number. */
export function readTotal(body: unknown): number | undefined {
  const total = pick(body, 'pagination.total')
  return typeof total === 'number' ? total : undefined
}

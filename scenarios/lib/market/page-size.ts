import { pickRows } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { readTotal } from '../requests/walk.ts'

/** Largest page of the lists with a stated page size. */
const PAGE_MAX = 100

/** A page from the beginning of a list. */
export type SizedPage = {
  reply: Reply
  /** Undefined: `data` is no list. */
  rows: number | undefined
  /** `more` than the limit; `fewer` although the total of the same response counts enough rows. */
  size: 'right' | 'more' | 'fewer' | 'unclear'
}

/**
 * Reads a page and compares its rows with its limit and its own total. A list that grows, or a count that lags,
 * can make a page look short for a moment, so `fewer` is confirmed.
 *
 * @param limit null if none is sent: the default page size is not stated
 */
export async function readSizedPage(
  read: (limit: string | null) => Promise<Reply>,
  limit: string | null,
): Promise<SizedPage> {
  const most = limit === null ? PAGE_MAX : Number(limit)
  const least = limit === null ? 1 : Number(limit)
  const { outcome, last } = await confirm({
    first: await read(limit),
    describeError: ({ status, json }) =>
      status === 200 && comparePageSize(json, { least, most }) === 'fewer' ? 'fewer rows' : undefined,
    again: () => read(limit),
    witness: async () => ({ served: true, explanation: 'the list is served' }),
  })
  const rows = pickRows(last.json, 'data')?.length
  const size = comparePageSize(last.json, { least, most })
  return { reply: last, rows, size: size === 'fewer' && outcome !== 'persistent' ? 'unclear' : size }
}

/** Compares the rows of a first page with the rows that its limit and its total allow. */
export function comparePageSize(
  body: unknown,
  { least, most }: { least: number; most: number },
): 'right' | 'more' | 'fewer' | 'unclear' {
  const rows = pickRows(body, 'data')?.length
  if (rows === undefined) return 'unclear'
  if (rows > most) return 'more'
  return rows < Math.min(least, readTotal(body) ?? 0) ? 'fewer' : 'right'
}

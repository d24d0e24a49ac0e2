import { pickRows, pickText } from '../pick.ts'

type Repeated = { rule: string; problem: string }
type List = {
  rule: string
  path: string
  /** Fields that identify a row; without them, rows are the same if all of their fields are. */
  names?: readonly string[]
}

const LISTS: Readonly<Record<string, List>> = {
  'GET /pools': { rule: 'paging.pools.complete', path: 'data', names: ['key'] },
  'GET /explore/pools': { rule: 'paging.explore.complete', path: 'data', names: ['key', 'id'] },
  'GET /swaps': { rule: 'paging.swaps.complete', path: 'data', names: ['id', 'swap_id'] },
  'GET /unclaimed': { rule: 'wire.unclaimed.record', path: 'data.pending_swaps' },
}

/**
 * Finds rows that one response has twice: it comes from one state of the list, so that no order explains them. Other rules cover
 * responses with more rows than requested.
 */
export function findRepeatedRows(endpoint: string, json: unknown, sizeMax: number): Repeated[] {
  const list = LISTS[endpoint]
  if (list === undefined) return []
  const { rule, path, names } = list
  const rows = pickRows(json, path) ?? []
  if (names !== undefined && rows.length > sizeMax) return []
  const ids = rows.map((row) => {
    if (names === undefined) return JSON.stringify(row)
    const texts = names.map((name) => pickText(row, name) ?? '')
    return texts.includes('') ? undefined : texts.join(', ')
  })
  const repeated = ids.filter((id, index) => id !== undefined && ids.indexOf(id) < index)
  return [...new Set(repeated)].map((id) => ({ rule, problem: `a row twice in one response: ${id}` }))
}

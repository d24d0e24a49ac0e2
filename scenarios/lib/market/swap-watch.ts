import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { type Credential, request } from '../requests/request.ts'
import { readTotal } from '../requests/walk.ts'

export type Swap = Record<string, unknown>

const PAGE = 100

/**
 * Reads both ends of /swaps: the newest swaps are among them whichever the sort order, which the
 * specification does not define.
 */
export async function readSwapEnds(target: Target, credential: Credential): Promise<Swap[]> {
  const read = async (offset: number) =>
    request(target, {
      method: 'GET',
      path: '/swaps',
      query: { limit: String(PAGE), offset: String(offset) },
      credential,
    })
  const first = await read(0)
  const rows = pickRows(first.json, 'data') ?? []
  const total = readTotal(first.json) ?? 0
  if (total <= rows.length) return rows
  const last = await read(Math.max(0, total - PAGE))
  return distinct([...rows, ...(pickRows(last.json, 'data') ?? [])])
}

/** Collects new rows of /swaps: proof, independent of the feed, that pools moved. */
export async function watchSwaps(
  target: Target,
  credential: Credential,
): Promise<{ check(): Promise<void>; fresh(): readonly Swap[] }> {
  const known = await readSwapEnds(target, credential)
  let all: readonly Swap[] = known
  return {
    async check() {
      all = distinct([...all, ...(await readSwapEnds(target, credential))])
    },
    fresh: () => all.slice(known.length),
  }
}

/** Deduplicates rows by id and drops rows without an id. */
export function distinct(rows: readonly Swap[]): Swap[] {
  const byId = new Map<string, Swap>()
  for (const row of rows) {
    const id = pickText(row, 'id')
    if (id !== undefined && !byId.has(id)) byId.set(id, row)
  }
  return [...byId.values()]
}

export function listPools(swap: Swap): string[] {
  return (pickRows(swap, 'hops') ?? []).flatMap((hop) => pickText(hop, 'pool') ?? [])
}

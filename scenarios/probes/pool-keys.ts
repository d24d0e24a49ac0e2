import type { Target } from '../../contract/scenario-config.ts'
import { uniqueKeys } from '../lib/market/unique-keys.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { pause } from '../lib/time/pause.ts'

type Row = Record<string, unknown>

const READ_BACK = 10

/** Keys: the same in every answer, and good for reading the pool. */
export const poolKeys: Probe = {
  rules: ['paging.key.identical', 'paging.key.round-trip'],
  world: 'main',
  async run(target, judge) {
    const [first, second] = [await readPools(target), await readPools(target)]
    const keys = uniqueKeys(second.rows)
    const shared = [...uniqueKeys(first.rows)].filter(([pool]) => keys.has(pool))
    const changed = shared.filter(([pool, key]) => keys.get(pool) !== key)
    if (shared.length === 0)
      judge.inconclusive('paging.key.identical', 'no pool that both reads tell apart by tokens and fee')
    judge.that(
      'paging.key.identical',
      changed.length === 0,
      `${shared.length} pools, ${changed.length} with another key`,
      [first.reply.evidence(), second.reply.evidence()],
    )

    const wrong: string[] = []
    const asked = first.rows.filter(hasKey).slice(0, READ_BACK)
    for (const row of asked) {
      const reply = await readListedPool(target, row, wrong.length === 0)
      const same = ['key', 'token0', 'token1'].every((name) => pick(reply.json, `data.${name}`) === row[name])
      if (reply.status !== 200 || !same) wrong.push(reply.evidence())
    }
    if (asked.length === 0) judge.inconclusive('paging.key.round-trip', 'no pool with a key in the list')
    judge.that(
      'paging.key.round-trip',
      wrong.length === 0,
      `${wrong.length} keys do not lead back to their pool`,
      wrong,
    )
  },
}

/**
 * A row of /explore/pools has a pool key, too. Which token comes first there is a matter of display; a pool that is not
 * enabled may be hidden elsewhere.
 */
export const exploreKeys: Probe = {
  rules: ['paging.explore.key-reads'],
  world: 'main',
  async run(target, judge) {
    const list = await requestParsed(target, { path: '/explore/pools', query: { limit: '20' } })
    const rows = (pickRows(list.json, 'data') ?? []).filter((row) => row.enabled === true && hasKey(row))
    if (rows.length === 0) throw new CannotJudge(`no enabled pool to read: ${list.evidence()}`)
    const asked = rows.slice(0, READ_BACK)
    const wrong: string[] = []
    for (const row of asked) {
      const reply = await readListedPool(target, row, wrong.length === 0)
      const pool = pick(reply.json, 'data')
      const same = pick(pool, 'key') === row.key && tokensOf(pool) === tokensOf(row)
      if (reply.status !== 200 || !same) wrong.push(reply.evidence())
    }
    judge.that(
      'paging.explore.key-reads',
      wrong.length === 0,
      `${asked.length} keys, ${wrong.length} do not lead to that pool`,
      wrong.slice(0, 3),
    )
  },
}

async function readPools(target: Target): Promise<{ reply: Reply; rows: Row[] }> {
  const reply = await requestParsed(target, { path: '/pools', query: { limit: '50' } })
  return { reply, rows: pickRows(reply.json, 'data') ?? [] }
}

/** In all as long as it takes to show that an error does not pass. */
const UNKNOWN_TRIES = 4
const UNKNOWN_PAUSE_MS = 1700

/** A replica may not have a pool yet that another has just listed: it counts as unknown only if it stays so. */
async function readListedPool(target: Target, row: Row, mayWait: boolean): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await readPool(target, row)
    const isUnknown = reply.status >= 400 && reply.status < 500
    if (!isUnknown || !mayWait || tries === UNKNOWN_TRIES) return reply
    await pause(UNKNOWN_PAUSE_MS)
  }
}

function readPool(target: Target, row: Row): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(pickText(row, 'key') ?? '')}`
  return requestParsed(target, { path, route: '/pools/{key}' })
}

/** A row without one breaks another rule. */
function hasKey(row: Row): boolean {
  return typeof row.key === 'string' && row.key !== ''
}

/** Both tokens, whichever is first. */
function tokensOf(pool: unknown): string {
  return [pickText(pool, 'token0'), pickText(pool, 'token1')].sort().join(' ')
}

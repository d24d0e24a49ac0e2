import type { Target } from '../../contract/scenario-config.ts'
import { check } from '../lib/check.ts'
import { readCredential } from '../lib/credential.ts'
import type { Judge } from '../lib/judge.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Credential, type Reply, request } from '../lib/request.ts'

const PAGES = [
  { rule: 'wire.pools.record', path: '/pools', schema: 'poolsPage', access: 'public' },
  { rule: 'wire.explore-pools.record', path: '/explore/pools', schema: 'explorePoolsPage', access: 'public' },
  { rule: 'wire.swaps.record', path: '/swaps', schema: 'swapsPage', access: 'cred' },
] as const

/** The shape of records and envelopes, over a page of each list. */
export const records: Probe = {
  rules: [...PAGES.map(({ rule }) => rule), 'wire.success.payload-in-data', 'paging.pagination.fields'],
  world: 'main',
  async run(target, judge) {
    const replies: Reply[] = []
    const judgePage = async (page: (typeof PAGES)[number], credential?: Credential) => {
      const reply = await readPage(target, page, credential)
      replies.push(reply)
      judgeRecords(judge, page, reply)
      const problems = reply.status === 200 ? check('pagination', pick(reply.json, 'pagination')) : []
      if (problems.length > 0) judge.fail('paging.pagination.fields', problems.join('; '), [reply.evidence()])
    }
    for (const page of PAGES.filter(({ access }) => access === 'public')) await judgePage(page)
    replies.push(await request(target, { method: 'GET', path: '/tokens' }))
    judgeEnvelopes(judge, replies)

    const credential = await readCredential(target)
    for (const page of PAGES.filter(({ access }) => access === 'cred')) await judgePage(page, credential)
    const answered = replies.filter(
      ({ status, json }) => status === 200 && pick(json, 'pagination') !== undefined,
    )
    if (answered.length === 0) judge.inconclusive('paging.pagination.fields', 'no list answered 200')
    judge.pass('paging.pagination.fields', `on ${answered.length} lists`)
  },
}

function judgeEnvelopes(judge: Judge, replies: readonly Reply[]): void {
  const without = replies.filter(({ status, json }) => status === 200 && pick(json, 'data') === undefined)
  const answered = replies.filter(({ status }) => status === 200).length
  if (answered === 0) judge.inconclusive('wire.success.payload-in-data', 'no read answered 200')
  judge.that(
    'wire.success.payload-in-data',
    without.length === 0,
    `${answered - without.length} of ${answered} reads`,
    without.map((reply) => reply.evidence()),
  )
}

function readPage(
  target: Target,
  page: (typeof PAGES)[number],
  credential: Credential | undefined,
): Promise<Reply> {
  return request(target, {
    method: 'GET',
    path: page.path,
    query: { limit: '100' },
    credential,
  })
}

function judgeRecords(judge: Judge, page: (typeof PAGES)[number], reply: Reply): void {
  const rows = pickRows(reply.json, 'data')
  if (reply.status !== 200 || !rows) {
    judge.inconclusive(page.rule, `no page to look at: ${reply.evidence()}`)
  } else if (rows.length === 0) {
    judge.inconclusive(page.rule, 'the list is empty')
  } else {
    // The envelope has a rule of its own; here only what lies under `data` counts.
    const problems = check(page.schema, reply.json).filter((problem) => problem.startsWith('/data'))
    judge.that(
      page.rule,
      problems.length === 0,
      problems.slice(0, 5).join('; ') || `${rows.length} records fit`,
      [reply.evidence()],
    )
  }
}

/** Keys: the same in every answer, and good for reading the pool. */
export const poolKeys: Probe = {
  rules: ['paging.key.identical', 'paging.key.round-trip'],
  world: 'main',
  async run(target, judge) {
    const read = async () => {
      const reply = await request(target, { method: 'GET', path: '/pools', query: { limit: '50' } })
      return { reply, rows: pickRows(reply.json, 'data') ?? [] }
    }
    const [first, second] = [await read(), await read()]
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
    for (const row of first.rows.slice(0, 10)) {
      const key = pickText(row, 'key') ?? ''
      const path = `/pools/${encodeURIComponent(key)}`
      const reply = await request(target, { method: 'GET', path, route: '/pools/{key}' })
      const same = ['key', 'token0', 'token1'].every((name) => pick(reply.json, `data.${name}`) === row[name])
      if (reply.status !== 200 || !same) wrong.push(reply.evidence())
    }
    if (first.rows.length === 0) judge.inconclusive('paging.key.round-trip', 'the list of pools is empty')
    judge.that(
      'paging.key.round-trip',
      wrong.length === 0,
      `${wrong.length} keys do not lead back to their pool`,
      wrong,
    )
  },
}

/** Pools told apart by tokens and fee, with their keys; those that share all three are left out. */
function uniqueKeys(rows: readonly Record<string, unknown>[]): Map<string, unknown> {
  const names = rows.map((row) => `${row.token0} ${row.token1} ${row.fee}`)
  return new Map(
    rows
      .map((row, index) => [names[index] ?? '', row.key] as const)
      .filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)),
  )
}

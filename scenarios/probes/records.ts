import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { judgeTimes } from '../lib/market/judge-valuation.ts'
import { listsPool, readListedPool } from '../lib/market/read-listed-pool.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { recordProblems } from '../lib/probe/record-problems.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isError, type Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { judgeSwapHops } from './route-checks.ts'

type ListRead = {
  rule: string
  path: string
  access: 'public' | 'cred'
  query?: Record<string, string>
}

export const PAGE = { limit: '50' }

const LISTS: readonly ListRead[] = [
  { rule: 'wire.pools.record', path: '/pools', access: 'public', query: PAGE },
  { rule: 'wire.explore-pools.record', path: '/explore/pools', access: 'public', query: PAGE },
  { rule: 'wire.swaps.record', path: '/swaps', access: 'cred', query: PAGE },
  { rule: 'wire.fee-tiers.record', path: '/fee-tiers', access: 'cred' },
  { rule: 'wire.schema-trading.record', path: '/schema/trading', access: 'cred' },
]

export const recordLists: readonly Probe[] = LISTS.map((list) => ({
  rules: [list.rule],
  world: 'main',
  async run(target, judge) {
    const credential = list.access === 'cred' ? await readCredential(target) : undefined
    const { rule, path, query = {} } = list
    const reply = await requestParsed(target, { path, query, credential })
    const rows = pickRows(reply.json, 'data')?.length ?? 0
    if (path === '/explore/pools')
      await unlessCannot(() => judgeTokenFields(target, judge, { rule, query, reply }))
    if (path === '/swaps' && credential !== undefined)
      await unlessCannot(() => judgeSwapHops(target, judge, { rule, credential }))
    judgeRecords(judge, reply, { rule, endpoint: `GET ${path}`, rows })
  },
}))

type RecordRead = { rule: string; endpoint: string; rows: number }

/** The envelope has its own rules: only `data` counts here. */
export function judgeRecords(judge: Judge, reply: Reply, { rule, endpoint, rows }: RecordRead): void {
  if (isError(reply)) {
    judge.fail(rule, `no record was served: ${reply.status}`, [reply.evidence()])
    return
  }
  if (reply.status !== 200 || pick(reply.json, 'data') === undefined) {
    judge.inconclusive(rule, `no records to check: ${reply.evidence()}`)
    return
  }
  const problems = recordProblems(endpoint, rule, reply.json)
  if (problems.length > 0) judge.fail(rule, problems.slice(0, 5).join('; '), [reply.evidence()])
  else if (rows === 0) judge.inconclusive(rule, `no records to check: ${reply.evidence()}`)
  else judge.pass(rule, `${rows} records fit`, [reply.evidence()])
}

export const poolRecord: Probe = {
  rules: ['wire.pool.record'],
  world: 'main',
  async run(target, judge) {
    const list = await requestParsed(target, { path: '/pools', query: PAGE })
    const key = pickText(pickRows(list.json, 'data')?.[0], 'key')
    if (key === undefined) throw new CannotJudge(`no pool to read: ${list.evidence()}`)
    const reply = await readListedPool(target, { key, isListed: () => listsPool(target, '/pools', key) })
    if (reply === undefined) throw new CannotJudge(`the pool is only listed intermittently: ${key}`)
    judgeRecords(judge, reply, { rule: 'wire.pool.record', endpoint: 'GET /pools/{key}', rows: 1 })
  },
}

/** The quote token that an explore page is valued in is optional. */
export const valuation: Probe = {
  rules: ['wire.explore-pools.valuation'],
  world: 'main',
  async run(target, judge) {
    const rule = 'wire.explore-pools.valuation'
    const reply = await requestParsed(target, { path: '/explore/pools', query: PAGE })
    if (reply.status !== 200 || reply.json === undefined) {
      throw new CannotJudge(`no page to check: ${reply.evidence()}`)
    }
    const problems = recordProblems('GET /explore/pools', rule, reply.json)
    if (problems.length === 0)
      await unlessCannot(() => judgeTimes(target, judge, { rule, path: '/explore/pools', first: reply }))
    const seen = JSON.stringify(pick(reply.json, 'valuation')) ?? 'left out'
    judge.that(rule, problems.length === 0, problems.join('; ') || seen, [reply.evidence()])
  },
}

/** The API requires rows in the registry, but does not define their fields. */
export const tokenList: Probe = {
  rules: ['wire.tokens.list'],
  world: 'main',
  async run(target, judge) {
    const rule = 'wire.tokens.list'
    const reply = await requestParsed(target, { path: '/tokens' })
    const data = pick(reply.json, 'data')
    const evidence = [reply.evidence()]
    if (isError(reply)) return judge.fail(rule, `no registry was served: ${reply.status}`, evidence)
    if (reply.status !== 200 || data === undefined) {
      throw new CannotJudge(`no registry to check: ${reply.evidence()}`)
    }
    const rows = pickRows(reply.json, listPath(target))
    const { id } = target.profile.choices.tokens
    if (rows?.some((row) => typeof pick(row, id) === 'number'))
      noteProblem('route.hops.exact-ids', '/tokens has ids that are numbers', () => reply.evidence())
    if (!holdsList(data)) judge.fail(rule, 'no list in `data`', evidence)
    else if (rows === undefined) judge.inconclusive(rule, 'no list at the path in the profile', evidence)
    else if (rows.length === 0) judge.inconclusive(rule, 'the registry is empty', evidence)
    else judge.pass(rule, `${rows.length} rows`, evidence)
  },
}

/** Without a path in the profile, the list is `data` itself. */
function listPath(target: Target): string {
  return target.profile.choices.tokens.list ?? 'data'
}

function holdsList(data: unknown): boolean {
  if (Array.isArray(data)) return true
  return typeof data === 'object' && data !== null && Object.values(data).some(holdsList)
}

type Row = Record<string, unknown>

const FIELDS = ['Name', 'Symbol', 'Decimals'] as const
type Field = (typeof FIELDS)[number]

/**
 * Fails the rule if an explore row gives a token the name, symbol or decimals of the row's other token, four times. Another
 * name alone may be a new one that some rows do not have yet.
 *
 * @param reply a page of /explore/pools
 */
async function judgeTokenFields(
  target: Target,
  judge: Judge,
  { rule, query, reply }: { rule: string; query: Record<string, string>; reply: Reply },
): Promise<void> {
  const { outcome, last, explanation } = await confirm({
    first: reply,
    describeError: ({ json }) => findExchanged(pickRows(json, 'data') ?? []),
    again: () => requestParsed(target, { path: '/explore/pools', query }),
    witness: async () => ({ served: true, explanation: '/explore/pools is served' }),
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, [last.evidence()])
}

/**
 * Describes the first field that is that of the row's other token, as other rows show. Which token comes first in rows with
 * `displayFlipped` is open.
 */
export function findExchanged(all: readonly Row[]): string | undefined {
  const rows = all.filter(({ displayFlipped }) => displayFlipped !== true)
  for (const field of FIELDS) {
    const sides = rows.flatMap((row) => readSides(row, field))
    const values = new Map<string, Set<string>>()
    for (const { token, value } of sides) values.set(token, (values.get(token) ?? new Set()).add(value))
    const isExchanged = ({ token, value, other, otherValue }: Side) => {
      const elsewhere = [...(values.get(token) ?? [])].filter((one) => one !== value)
      const isOfOther = values.get(other)?.has(value) === true
      return elsewhere.length > 0 && (isOfOther || elsewhere.includes(otherValue))
    }
    const found = sides.find(isExchanged)
    if (found !== undefined) return `a row has the ${field.toLowerCase()} of its other token`
  }
  return undefined
}

type Side = { token: string; value: string; other: string; otherValue: string }

/** Both sides of a row with two tokens and two values. */
function readSides(row: Row, field: Field): Side[] {
  const [token0, token1] = [pickText(row, 'token0'), pickText(row, 'token1')]
  const [value0, value1] = [pickText(row, `token0${field}`), pickText(row, `token1${field}`)]
  if (token0 === undefined || token1 === undefined || value0 === undefined || value1 === undefined) return []
  if (token0 === token1) return []
  return [
    { token: token0, value: value0, other: token1, otherValue: value1 },
    { token: token1, value: value1, other: token0, otherValue: value0 },
  ]
}

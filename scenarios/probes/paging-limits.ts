import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { pickRows } from '../lib/pick.ts'
import { check } from '../lib/probe/check.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'

const PATH = '/explore/pools'

const ACCEPTED = [
  ['paging.limit.accepts-1', 1],
  ['paging.limit.accepts-100', 100],
] as const

/** What is no page at all: refused with 400, as all invalid query parameters of this list are. */
const REJECTED: readonly (readonly [rule: string, query: Record<string, string>])[] = [
  ['paging.limit.rejects-0', { limit: '0' }],
  ['paging.limit.rejects-101', { limit: '101' }],
  ['paging.limit.rejects-text', { limit: 'many' }],
  ['paging.limit.rejects-negative', { limit: '-10' }],
  ['paging.offset.rejects-text', { offset: 'start' }],
  ['paging.explore.rejects-window', { window: 'never' }],
  ['paging.explore.rejects-order', { order: 'sideways' }],
]

const WINDOWS = ['1h', '1d', '1w', '1m']

/** The bounds of a page, from both sides. */
export const pagingLimits: Probe = {
  rules: [
    ...ACCEPTED.map(([rule]) => rule),
    ...REJECTED.map(([rule]) => rule),
    'paging.explore.window-accepted',
    'paging.limit.canonical',
    'wire.error.body-shape',
  ],
  world: 'main',
  async run(target, judge) {
    for (const [rule, limit] of ACCEPTED) {
      const reply = await requestParsed(target, { path: PATH, query: { limit: String(limit) } })
      judgePage(judge, { rule, reply, limit })
    }

    const refused: Reply[] = []
    for (const [rule, query] of REJECTED) {
      const reply = await requestParsed(target, { path: PATH, query })
      const asked = Object.entries(query).map(([name, value]) => `${name}=${value}`)
      judge.that(rule, reply.status === 400, `${asked} answered ${reply.status}`, [reply.evidence()])
      if (reply.status === 400) refused.push(reply)
    }
    judgeErrorBodies(judge, refused)
    await judgeWindows(target, judge)
    await judgeSpellings(target, judge)
  },
}

/** The bounds of a page of /swaps, where the specification does not say how a page too long is turned down. */
export const swapLimits: Probe = {
  rules: ['paging.swaps.accepts-1', 'paging.swaps.accepts-100', 'paging.swaps.at-most-100'],
  world: 'main',
  async run(target, judge) {
    const credential = await readCredential(target)
    const read = (limit: string) => requestParsed(target, { path: '/swaps', query: { limit }, credential })
    const [one, full, over] = [await read('1'), await read('100'), await read('101')]
    judgePage(judge, { rule: 'paging.swaps.accepts-1', reply: one, limit: 1 })
    judgePage(judge, { rule: 'paging.swaps.accepts-100', reply: full, limit: 100 })
    judgeTooLong(judge, full, over)
  },
}

/** Only of the 400s of this list is it stated that they carry the error body. */
function judgeErrorBodies(judge: Judge, refused: readonly Reply[]): void {
  const rule = 'wire.error.body-shape'
  const problems = refused.flatMap(({ json }) => check('errorBody', json))
  const evidence = refused.map((reply) => reply.evidence())
  if (refused.length === 0) judge.inconclusive(rule, 'nothing was refused with 400')
  else judge.that(rule, problems.length === 0, problems.join('; ') || 'error bodies', evidence)
}

async function judgeWindows(target: Target, judge: Judge): Promise<void> {
  const refused: string[] = []
  for (const window of WINDOWS) {
    const reply = await requestParsed(target, { path: PATH, query: { window } })
    if (reply.status !== 200) refused.push(reply.evidence())
  }
  const seen = `${WINDOWS.length - refused.length} of ${WINDOWS.length} windows answered with 200`
  judge.that('paging.explore.window-accepted', refused.length === 0, seen, refused)
}

async function judgeSpellings(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.limit.canonical'
  const spellings = target.profile.choices.explorePools.refuses
  const taken: string[] = []
  for (const spelling of spellings) {
    for (const name of ['limit', 'offset']) {
      const reply = await requestParsed(target, { path: PATH, query: { [name]: spelling } })
      if (reply.status !== 400) taken.push(reply.evidence())
    }
  }
  if (spellings.length === 0) judge.skip(rule, 'the profile names no spelling')
  else judge.that(rule, taken.length === 0, `${taken.length} spellings not refused with 400`, taken)
}

function judgePage(
  judge: Judge,
  { rule, reply, limit }: { rule: string; reply: Reply; limit: number },
): void {
  const rows = pickRows(reply.json, 'data')?.length
  const seen = `${reply.status} with ${rows ?? 'no'} rows`
  if (reply.status === 200 && rows === undefined) judge.inconclusive(rule, seen, [reply.evidence()])
  else judge.that(rule, reply.status === 200 && Number(rows) <= limit, seen, [reply.evidence()])
}

/** A refusal counts only where a page of 100 is served to the same credential. */
function judgeTooLong(judge: Judge, full: Reply, over: Reply): void {
  const rule = 'paging.swaps.at-most-100'
  const served = pickRows(over.json, 'data')?.length
  const seen = `${over.status} with ${served ?? 'no'} rows`
  const evidence = [full.evidence(), over.evidence()]
  if (full.status !== 200 || over.status === 401 || over.status === 403) {
    judge.inconclusive(rule, `limit=100 answered ${full.status}, limit=101 ${over.status}`, evidence)
  } else if (over.status >= 400 || served !== undefined) {
    judge.that(rule, over.status >= 400 || Number(served) <= 100, seen, evidence)
  } else judge.inconclusive(rule, `no rows to count: ${seen}`, evidence)
}

import type { Target } from '../../contract/scenario-config.ts'
import { check } from '../lib/check.ts'
import { readCredential } from '../lib/credential.ts'
import type { Judge } from '../lib/judge.ts'
import { pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Reply, request } from '../lib/request.ts'

const PATH = '/explore/pools'

const ACCEPTED = [
  ['paging.limit.accepts-1', 1],
  ['paging.limit.accepts-100', 100],
] as const

const REJECTED = [
  ['paging.limit.rejects-0', '0'],
  ['paging.limit.rejects-101', '101'],
] as const

/** The bounds of a page, from both sides. */
export const pagingLimits: Probe = {
  rules: [
    ...ACCEPTED.map(([rule]) => rule),
    ...REJECTED.map(([rule]) => rule),
    'paging.limit.canonical',
    'paging.swaps.at-most-100',
    'wire.error.body-shape',
  ],
  world: 'main',
  async run(target, judge) {
    for (const [rule, limit] of ACCEPTED) {
      const reply = await request(target, { method: 'GET', path: PATH, query: { limit: String(limit) } })
      const rows = pickRows(reply.json, 'data')?.length
      const holds = reply.status === 200 && rows !== undefined && rows <= limit
      judge.that(rule, holds, `${reply.status} with ${rows ?? 'no'} rows`, [reply.evidence()])
    }

    const refused: Reply[] = []
    for (const [rule, limit] of REJECTED) {
      const reply = await request(target, { method: 'GET', path: PATH, query: { limit } })
      judge.that(rule, reply.status === 400, `limit=${limit} answered ${reply.status}`, [reply.evidence()])
      if (reply.status === 400) refused.push(reply)
    }
    judgeErrorBodies(judge, refused)
    await judgeSpellings(target, judge)
    await judgeSwaps(target, judge)
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

async function judgeSpellings(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.limit.canonical'
  const spellings = target.profile.choices.explorePools.refuses
  const taken: string[] = []
  for (const spelling of spellings) {
    for (const name of ['limit', 'offset']) {
      const reply = await request(target, { method: 'GET', path: PATH, query: { [name]: spelling } })
      if (reply.status !== 400) taken.push(reply.evidence())
    }
  }
  if (spellings.length === 0) judge.skip(rule, 'the profile names no spelling')
  else judge.that(rule, taken.length === 0, `${taken.length} spellings not refused with 400`, taken)
}

/** A refusal counts only where a page of 100 is served to the same credential. */
async function judgeSwaps(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.swaps.at-most-100'
  const credential = await readCredential(target)
  const read = (limit: string) =>
    request(target, { method: 'GET', path: '/swaps', query: { limit }, credential })
  const [full, over] = [await read('100'), await read('101')]
  const served = pickRows(over.json, 'data')?.length
  const seen = `${over.status} with ${served ?? 'no'} rows`
  const evidence = [full.evidence(), over.evidence()]
  if (full.status !== 200 || over.status === 401 || over.status === 403) {
    judge.inconclusive(rule, `limit=100 answered ${full.status}, limit=101 ${over.status}`, evidence)
  }
  if (over.status >= 400 || served !== undefined) {
    judge.that(rule, over.status >= 400 || Number(served) <= 100, seen, evidence)
  }
  judge.inconclusive(rule, `no rows to count: ${seen}`, evidence)
}

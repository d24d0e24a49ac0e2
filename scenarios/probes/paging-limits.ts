import { check } from '../lib/check.ts'
import { readCredential } from '../lib/credential.ts'
import { pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { request } from '../lib/request.ts'

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

    for (const [rule, limit] of REJECTED) {
      const reply = await request(target, { method: 'GET', path: PATH, query: { limit } })
      judge.that(rule, reply.status === 400, `limit=${limit} answered ${reply.status}`, [reply.evidence()])
      if (reply.status === 400) {
        const problems = check('errorBody', reply.json)
        if (problems.length > 0) judge.fail('wire.error.body-shape', problems.join('; '), [reply.evidence()])
      }
    }
    const unauthorised = await request(target, { method: 'GET', path: '/swaps' })
    const problems = check('errorBody', unauthorised.json)
    judge.that('wire.error.body-shape', problems.length === 0, problems.join('; ') || 'an error body', [
      unauthorised.evidence(),
    ])

    const credential = await readCredential(target)
    const swaps = await request(target, {
      method: 'GET',
      path: '/swaps',
      query: { limit: '101' },
      credential,
    })
    const served = pickRows(swaps.json, 'data')?.length
    const refused = swaps.status >= 400
    judge.that(
      'paging.swaps.at-most-100',
      refused || (served !== undefined && served <= 100),
      `${swaps.status} with ${served ?? 'no'} rows`,
      [swaps.evidence()],
    )

    const spellings = target.profile.choices.explorePools.refuses
    const taken: string[] = []
    for (const spelling of spellings) {
      for (const name of ['limit', 'offset']) {
        const reply = await request(target, { method: 'GET', path: PATH, query: { [name]: spelling } })
        if (reply.status !== 400) taken.push(reply.evidence())
      }
    }
    if (spellings.length === 0) judge.skip('paging.limit.canonical', 'the profile names no spelling')
    else
      judge.that(
        'paging.limit.canonical',
        taken.length === 0,
        `${taken.length} spellings not refused with 400`,
        taken,
      )
  },
}

import type { Target } from '../../contract/scenario-config.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/cannot.ts'

type Read = Pick<RequestSpec, 'path' | 'route' | 'query'>

type Group = {
  rule: string
  reads: (target: Target) => Promise<readonly Read[]> | readonly Read[]
}

const SUB_READS = ['ohlcv', 'liquidity-distribution', 'trades', 'stats', 'oracle']

const EXPLORE = '/explore/'
const COMPLIANCE = '/compliance'

function isElsewhere(path: string): boolean {
  return [EXPLORE, COMPLIANCE].some((prefix) => path.startsWith(prefix))
}

const GROUPS: readonly Group[] = [
  {
    rule: 'access.public.health',
    reads: () => ['/health', '/ready', '/metrics'].map((path) => ({ path })),
  },
  {
    rule: 'access.public.pools',
    reads: async (target) => [
      { path: '/pools' },
      { path: '/pools', query: { limit: '5' } },
      { path: '/pools/stats' },
      { path: await poolPath(target), route: '/pools/{key}' },
    ],
  },
  {
    rule: 'access.public.pool-reads',
    reads: async (target) => {
      const pool = await poolPath(target)
      return SUB_READS.map((name) => ({ path: `${pool}/${name}`, route: `/pools/{key}/${name}` }))
    },
  },
  {
    rule: 'access.public.explore',
    reads: (target) => [{ path: '/explore/pools' }, ...listed(target, EXPLORE)],
  },
  { rule: 'access.public.tokens', reads: () => [{ path: '/tokens' }] },
  { rule: 'access.public.compliance', reads: (target) => listed(target, COMPLIANCE) },
  {
    rule: 'access.public.aggregator',
    reads: ({ profile }) =>
      profile.choices.publicPaths.filter((path) => !isElsewhere(path)).map((path) => ({ path })),
  },
]

/** For most reads, only the access is stated: a 401, 403 or persistent 500 breaks it, a success or a 400 does not. */
export const publicReads: readonly Probe[] = GROUPS.map(({ rule, reads }) => ({
  rules: [rule],
  world: 'main',
  async run(target, judge) {
    const asked = await reads(target)
    if (asked.length === 0) throw new CannotProbe('the profile lists no such path in publicPaths', 'choice')
    const replies: Reply[] = []
    // Twice each: the second response may come from a cache or another credential check.
    for (const read of [...asked, ...asked]) {
      const provokes = read.path === '/ready' ? [503] : []
      replies.push(await request(target, { method: 'GET', ...read, provokes }))
    }
    const guarded = replies.filter(({ status }) => status === 401 || status === 403)
    const broken = replies.filter(({ status }) => status === 500)
    const open = replies.filter(isOpen)
    const wrong = [...guarded, ...broken]
    const seen = `${open.length} of ${replies.length} reads served, ${guarded.length} with 401 or 403, ${broken.length} with a persistent 500`
    if (wrong.length > 0)
      judge.fail(
        rule,
        seen,
        wrong.map((reply) => reply.evidence()),
      )
    else if (open.length === 0)
      judge.inconclusive(
        rule,
        seen,
        replies.map((reply) => reply.evidence()),
      )
    else judge.pass(rule, seen)
  },
}))

/** Served, rejected for a missing parameter, or not ready. */
function isOpen({ status }: Reply): boolean {
  return (status >= 200 && status < 300) || status === 400 || status === 422 || status === 503
}

function listed(target: Target, prefix: string): Read[] {
  const { publicPaths } = target.profile.choices
  return publicPaths.filter((path) => path.startsWith(prefix)).map((path) => ({ path }))
}

/** A listed pool. If the list cannot be read, the rule of the pools fails. */
async function poolPath(target: Target): Promise<string> {
  const list = await requestParsed(target, { path: '/pools', query: { limit: '5' } })
  if (list.status === 401 || list.status === 403) return '/pools/unknown'
  const key = pickText(pickRows(list.json, 'data')?.[0], 'key')
  if (key === undefined) throw new CannotJudge(`no pool to read: ${list.evidence()}`)
  return `/pools/${encodeURIComponent(key)}`
}

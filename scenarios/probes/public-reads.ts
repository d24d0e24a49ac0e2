import type { Target } from '../../contract/scenario-config.ts'
import { listCredentials, readCredential } from '../lib/identity/credential.ts'
import { credentialRead } from '../lib/identity/session.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { POOL_READS, POOLS_STATS } from '../lib/probe/open-reads.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import {
  type Credential,
  isError,
  isSuccess,
  type Reply,
  type RequestSpec,
  request,
} from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { CannotJudge, CannotProbe, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

type Read = Pick<RequestSpec, 'path' | 'route' | 'query'>

type Group = {
  rule: string
  reads: (target: Target) => Promise<readonly Read[]> | readonly Read[]
}

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
      { path: POOLS_STATS },
      { path: await poolPath(target), route: '/pools/{key}' },
    ],
  },
  {
    rule: 'access.public.pool-reads',
    reads: async (target) => {
      const pool = await poolPath(target)
      return POOL_READS.map((name) => ({ path: `${pool}/${name}`, route: `/pools/{key}/${name}` }))
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

/**
 * For most reads, only the access is stated: a 401 or 403 breaks it, a success or a 400 does not. A persistent 500 breaks it only if
 * the same read succeeds with a credential, because a server may have internal errors.
 */
export const publicReads: readonly Probe[] = GROUPS.map(({ rule, reads }) => ({
  rules: [rule],
  world: 'main',
  async run(target, judge) {
    const requested = await reads(target)
    if (requested.length === 0)
      throw new CannotProbe('the profile lists no such path in publicPaths', 'choice')
    const replies: Reply[] = []
    const broken: { read: Read; reply: Reply }[] = []
    // Twice each: the second response may come from a cache or another credential check.
    for (const read of [...requested, ...requested]) {
      const reply = await request(target, publicRead(read))
      replies.push(reply)
      if (reply.status === 500) broken.push({ read, reply })
    }
    const missing = requested.some(({ path }) => path === POOLS_STATS) ? await findNoStats(target) : undefined
    if (missing !== undefined) judge.fail(rule, missing.explanation, listEvidence([missing.reply]))
    const guarded = replies.filter(({ status }) => status === 401 || status === 403)
    if (guarded.length === 0)
      for (const { read, reply } of broken)
        if (await isServedWithCredential(target, read)) guarded.push(reply)
    const credentials = guarded.length === 0 ? await listCredentials(target) : []
    for (const credential of credentials)
      await Promise.all(
        requested.map((read) =>
          unlessCannot(() => judgeWithCredential(target, judge, { rule, read, credential })),
        ),
      )
    const open = replies.filter(isOpen)
    const seen = `${open.length} of ${replies.length} reads served, ${guarded.length} only with a credential, ${broken.length} with a persistent 500`
    if (guarded.length > 0) judge.fail(rule, seen, listEvidence(guarded))
    else if (open.length === 0 || broken.length > 0) judge.inconclusive(rule, seen, listEvidence(replies))
    else judge.pass(rule, seen)
  },
}))

function publicRead(read: Read): RequestSpec {
  return { method: 'GET', ...read, provokes: read.path === '/ready' ? [503] : [] }
}

/** Fails a public read that rejects a valid credential, with or without access, or has an error with it. Passes nothing. */
export async function judgeWithCredential(
  target: Target,
  judge: Judge,
  { rule, read, credential }: { rule: string; read: Read; credential: Credential },
): Promise<void> {
  const send = () => request(target, { ...publicRead(read), credential })
  const describeError = (reply: Reply) =>
    reply.status === 401 || reply.status === 403 || isError(reply) ? String(reply.status) : undefined
  const { outcome, last, explanation } = await confirm({
    first: await send(),
    describeError,
    again: send,
    witness: async () => {
      const bare = await request(target, publicRead(read))
      const known = await request(target, credentialRead(target, credential))
      return {
        // A wallet without access is known, too.
        served: isOpen(bare) && !isError(bare) && (isSuccess(known) || known.status === 403),
        explanation: `without the credential -> ${bare.status}, another read with it -> ${known.status}`,
      }
    },
  })
  const kind = 'bearer' in credential ? 'an API token' : 'a session'
  const seen = `GET ${read.route ?? read.path} with ${kind}: ${explanation}`
  if (outcome === 'persistent') judge.fail(rule, seen, [last.evidence()])
}

async function isServedWithCredential(target: Target, read: Read): Promise<boolean> {
  const credential = await readCredential(target)
  return isSuccess(await request(target, { method: 'GET', ...read, credential }))
}

/** A 404 that persists: the read needs no key that could be unknown. */
async function findNoStats(target: Target): Promise<{ reply: Reply; explanation: string } | undefined> {
  const again = () => request(target, { method: 'GET', path: POOLS_STATS })
  const { outcome, last, explanation } = await confirm({
    first: await again(),
    describeError: ({ status }) => (status === 404 ? `${POOLS_STATS} -> 404` : undefined),
    again,
    witness: async () => {
      const { status } = await request(target, { method: 'GET', path: '/pools' })
      return { served: status === 200, explanation: `/pools -> ${status}` }
    },
  })
  return outcome === 'persistent' ? { reply: last, explanation } : undefined
}

function listEvidence(replies: readonly Reply[]): string[] {
  return replies.map((reply) => reply.evidence())
}

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

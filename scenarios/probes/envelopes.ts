import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, revokeApiToken } from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { type Credential, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { check } from '../lib/verdict/check.ts'
import { CannotJudge, CannotProbe, unlessCannot } from '../lib/verdict/judge.ts'
import { STATED_DATA_PATHS } from './data-paths.ts'

type Read = Pick<RequestSpec, 'path' | 'query'> & {
  access: 'public' | 'cred' | 'made-up'
  isPaged?: true
  /** An HTML page may be that of a proxy, and is not judged. */
  mayBePage?: true
  /** Expected error status; otherwise the read must succeed. */
  refusedWith?: number
}

const READS: readonly Read[] = [
  { path: '/pools', access: 'public', isPaged: true },
  { path: '/explore/pools', access: 'public', isPaged: true },
  { path: '/explore/pools', query: { limit: '0' }, access: 'public', refusedWith: 400 },
  { path: '/explore/pools', query: { order: 'sideways' }, access: 'public', refusedWith: 400 },
  { path: '/explore/pools', query: { limit: 'many' }, access: 'public', refusedWith: 400 },
  { path: '/explore/pools', query: { offset: 'start' }, access: 'public', refusedWith: 400 },
  { path: '/swaps', access: 'public', refusedWith: 401 },
  ...['/unclaimed', '/auth/sessions', '/api-tokens', '/referral/codes', '/auth/ws-ticket'].map(
    (path) => ({ path, access: 'public', refusedWith: 401 }) as const,
  ),
  ...['/fee-tiers', '/schema/trading', '/access/status', '/referral/status', '/route'].map(
    (path) => ({ path, access: 'public', refusedWith: 401, mayBePage: true }) as const,
  ),
  ...['/swaps', '/fee-tiers', '/access/status'].map(
    (path) => ({ path, access: 'made-up', refusedWith: 401, mayBePage: true }) as const,
  ),
  { path: '/tokens', access: 'public' },
  { path: '/swaps', access: 'cred', isPaged: true },
  { path: '/unclaimed', access: 'cred' },
  { path: '/fee-tiers', access: 'cred' },
  { path: '/schema/trading', access: 'cred' },
  { path: '/access/status', access: 'cred' },
  { path: '/referral/status', access: 'cred' },
  { path: '/auth/ws-ticket', access: 'cred' },
]

/** Repeated at the end: a later page of each list, and responses that may have been cached. */
const LATER: readonly Read[] = READS.filter(({ mayBePage }) => !mayBePage).map((read) =>
  read.isPaged ? { ...read, query: { limit: '3', offset: '3' } } : read,
)

const MADE_UP: Credential = { bearer: 'ss_made-up-and-never-issued' }

export const envelopes: Probe = {
  rules: ['wire.body.json', 'wire.success.payload-in-data', 'paging.pagination.fields'],
  world: 'main',
  async run(target, judge) {
    const responded: { read: Read; reply: Reply }[] = []
    const credential = await credentialIfAny(target)
    for (const read of [...READS, ...LATER]) {
      if (read.access === 'cred' && !credential) continue
      const by = { public: undefined, cred: credential, 'made-up': MADE_UP }[read.access]
      const reply = await readBody(target, read, by)
      if (reply === undefined || (read.mayBePage && /^text\/html\b/i.test(reply.contentType))) continue
      if (reply.status === (read.refusedWith ?? 200)) responded.push({ read, reply })
    }
    const listEvidence = (those: typeof responded) => those.map(({ reply }) => reply.evidence())

    if (responded.length === 0) throw new CannotJudge('no read returned a response')
    const garbled = responded.filter(({ reply }) => reply.json === undefined)
    const labels = new Set(responded.map(({ reply }) => reply.headers['content-type'] ?? 'no content type'))
    judge.that(
      'wire.body.json',
      garbled.length === 0,
      `${responded.length - garbled.length} of ${responded.length} bodies, as ${[...labels].join(', ')}`,
      listEvidence(garbled),
    )

    const successes = responded.filter(({ reply }) => reply.status === 200 && reply.json !== undefined)
    if (successes.length === 0) throw new CannotJudge('no read returned 200')
    const without = successes.filter(({ reply }) => pick(reply.json, 'data') === undefined)
    judge.that(
      'wire.success.payload-in-data',
      without.length === 0,
      `${successes.length - without.length} of ${successes.length} reads`,
      listEvidence(without),
    )

    const paged = successes.filter(({ read }) => read.isPaged)
    if (paged.length === 0) throw new CannotJudge('no list returned 200')
    const listProblems = (reply: Reply) => check('pagination', pick(reply.json, 'pagination'))
    const wrong = paged.filter(({ reply }) => listProblems(reply).length > 0)
    const problems = wrong.flatMap(({ read, reply }) =>
      listProblems(reply).map((text) => `${read.path} ${text}`),
    )
    judge.that(
      'paging.pagination.fields',
      wrong.length === 0,
      problems.join('; ') || `on ${paged.length} lists`,
      listEvidence(wrong),
    )
  },
}

/** Without a credential, only public reads are judged. */
async function credentialIfAny(target: Target): Promise<Credential | undefined> {
  try {
    return await readCredential(target)
  } catch (error) {
    if (error instanceof CannotProbe || error instanceof CannotJudge) return undefined
    throw error
  }
}

async function readBody(
  target: Target,
  { path, query = {} }: Read,
  credential: Credential | undefined,
): Promise<Reply | undefined> {
  return await requestParsed(target, { path, query, credential }).catch((error: unknown) => {
    if (error instanceof CannotJudge) return undefined
    throw error
  })
}

const RULE = 'wire.error.body-shape'

/** Requests that every exchange rejects. */
const REFUSED: readonly Pick<RequestSpec, 'path' | 'query' | 'route'>[] = [
  { path: '/explore/pools', query: { limit: '0' } },
  { path: '/explore/pools', query: { order: 'sideways' } },
  ...[
    ...STATED_DATA_PATHS,
    '/route',
    '/auth/ws-ticket',
    '/auth/sessions',
    '/api-tokens',
    '/referral/codes',
  ].map((path) => ({ path })),
  { path: '/pools/no-such-pool', route: '/pools/{key}' },
]

/** Provokes errors of many kinds, then evaluates the error watch, which also saw those of earlier probes. */
export const errorBodies: Probe = {
  rules: [RULE],
  world: 'main',
  async run(target, judge) {
    await sendInvalid(target)
    for (const read of REFUSED) await request(target, { method: 'GET', ...read })
    const found = errorWatch.takeFound()
    if (errorWatch.judged() === 0) throw new CannotJudge('no error response had a body to judge')
    judge.that(
      RULE,
      found.length === 0,
      found.map(({ problem }) => problem).join('; ') || `${errorWatch.judged()} error bodies are valid`,
      found.map(({ evidence }) => evidence),
    )
  },
}

/** Changes with invalid input, for the error watch to check the rejections. An accepted API token is revoked. */
async function sendInvalid(target: Target): Promise<void> {
  const send = (spec: RequestSpec) => unlessCannot(async () => void (await request(target, spec)))
  await unlessCannot(() =>
    withSession(target, walletFor(target, 'apiTokens'), async (session) => {
      const credential = requireFullCredential(session)
      await unlessCannot(() => postNumber(target, credential))
      await send({ method: 'DELETE', path: '/api-tokens/not-a-uuid', route: '/api-tokens/{id}', credential })
    }),
  )
}

async function postNumber(
  target: Target,
  credential: ReturnType<typeof requireFullCredential>,
): Promise<void> {
  const body = { name: 7, expires_in_days: 1 }
  const reply = await request(target, { method: 'POST', path: '/api-tokens', credential, body, once: true })
  const made = await createdToken(target, reply, credential)
  if (made) await revokeApiToken(target, { id: made.id, credential })
}

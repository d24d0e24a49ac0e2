import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, postApiToken } from '../lib/identity/api-token.ts'
import {
  endSession,
  getCredential,
  isAlive,
  refresh,
  requireFullCredential,
  type Session,
  signIn,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions } from '../lib/identity/session-list.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets, walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, ifPossible } from '../lib/verdict/judge.ts'

type Route = {
  name: string
  /**
   * Builds a request that changes something of the session or its wallet; undefined if the profile does not describe how. `others`:
   * ids of other sessions of the wallet.
   */
  prepare(target: Target, session: Session, others: readonly string[]): Promise<Prepared | undefined>
}

/** `ends`: what the request ends besides or instead of its own session. */
type Prepared = { spec: RequestSpec; ends?: Credential | 'first' }

const RULE = 'auth.csrf.required'

/** State changes by cookie. POST /api-tokens has its own rule, since its header is documented as required. */
const ROUTES: readonly Route[] = [
  post('/auth/logout'),
  post('/auth/logout-all'),
  { name: 'POST /auth/sessions/{session_id}/revoke', prepare: revokeSession },
  { name: 'DELETE /api-tokens/{id}', prepare: deleteToken },
  { name: 'POST /auth/logout of a session that was refreshed', prepare: refreshThenLogOut },
]

/** One route's responses: without a valid token, and, if that was rejected, with the right one. */
type Outcome = { name: string; bad: Reply[]; taken: Reply[]; right: Reply | undefined }

/**
 * The API documents that clients send the token, not that a server rejects requests without it: an accepted request fails
 * nothing. A route that rejects the token from verify, while others accept it, breaks the rule.
 */
export const csrf: Probe = {
  rules: [RULE],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const foreign = await ifPossible(() =>
      signIn(target, differentWallets(target, 'logoutAll', 'refreshEnds')[1]),
    )
    try {
      const outcomes: Outcome[] = []
      for (const route of ROUTES) {
        const attempt = () => tryRoute(target, judge, { route, foreign })
        const outcome = await attempt()
        const again = outcome?.right && isTokenRejected(outcome.right) ? await attempt() : outcome
        if (again) outcomes.push(again)
      }
      judgeOutcomes(judge, outcomes)
    } finally {
      if (foreign) await endSession(target, foreign)
    }
  },
}

/** `foreign` is a live session of another wallet. */
async function tryRoute(
  target: Target,
  judge: Judge,
  { route: { name, prepare }, foreign }: { route: Route; foreign: Session | undefined },
): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  const wallet = walletFor(target, 'logoutAll')
  // Sessions have a token each; a server may wrongly know only the one of the wallet's first session.
  await withSession(target, wallet, async (first) => {
    const others = await listIds(target, first)
    await withSession(target, wallet, async (session) => {
      const prepared = await prepare(target, session, others)
      if (prepared === undefined) return
      const { spec, ends } = prepared
      const right = requireFullCredential(session)
      const send = (credential: Credential) => request(target, { ...spec, credential })
      const victim = ends === 'first' ? getCredential(first) : ends
      const kept: Credential[] = []
      for (const one of [right, ...(victim ? [victim] : [])])
        if ((await isAlive(target, one)).alive) kept.push(one)
      const bad: Reply[] = []
      const ofOther = foreign?.csrf === undefined || foreign.csrf === right.csrf ? [] : [foreign.csrf]
      for (const csrf of [undefined, MADE_UP, ...ofOther]) {
        bad.push(await send({ ...right, csrf }))
        if (bad.some(isSuccess)) break
      }
      if (bad.every(isClientError)) await judgeKept(target, judge, { name, bad, kept, foreign })
      const { alive, reply } = await isAlive(target, getCredential(session))
      if (!alive && !bad.some(isSuccess))
        throw new CannotJudge(`the session ended although ${name} was rejected: ${reply.evidence()}`)
      const taken = bad.filter(isSuccess)
      outcome = { name, bad, taken, right: taken.length > 0 ? undefined : await send(right) }
    })
  })
  return outcome
}

type Kept = {
  name: string
  bad: readonly Reply[]
  /** Credentials that worked, and that a rejected request must not end. */
  kept: readonly Credential[]
  foreign: Session | undefined
}

/**
 * A rejected request changes nothing. A credential that has ended counts if the session of another wallet is served, and no other
 * probe may have ended it. Passes nothing.
 */
async function judgeKept(target: Target, judge: Judge, { name, bad, kept, foreign }: Kept): Promise<void> {
  if (foreign === undefined || sharesWallets(target)) return
  const statuses = bad.map(({ status }) => status).join(', ')
  for (const one of kept) {
    const { outcome, reply, explanation } = await isStillServed(target, one, {
      witness: getCredential(foreign),
    })
    const what = 'bearer' in one ? 'an API token' : 'a session'
    const seen = `${name} with wrong tokens returned ${statuses}, but ${what} of the wallet has ended: ${explanation}`
    if (outcome === 'refused')
      judge.fail(RULE, seen, [...bad.map((reply) => reply.evidence()), reply.evidence()])
  }
}

export const MADE_UP = 'not-the-token-that-verify-returned'

function judgeOutcomes(judge: Judge, outcomes: readonly Outcome[]): void {
  const rule = RULE
  const rights = outcomes.flatMap(({ name, right }) => (right ? [{ name, right }] : []))
  const refused = rights.filter(({ right }) => isTokenRejected(right))
  const worked = rights.filter(({ right }) => isSuccess(right))
  const taken = outcomes.filter((outcome) => outcome.taken.length > 0)
  const unclear = outcomes.flatMap(({ bad, right }) => [...bad, ...(right ? [right] : [])]).filter(isUnclear)
  const names = (routes: readonly { name: string }[]) => routes.map(({ name }) => name).join(', ')
  const evidence = (replies: readonly Reply[]) => replies.map((reply) => reply.evidence())
  if (refused.length > 0 && worked.length > 0)
    judge.fail(
      rule,
      `rejected with the token from verify: ${names(refused)}; accepted: ${names(worked)}`,
      evidence(refused.map(({ right }) => right)),
    )
  else if (taken.length > 0)
    judge.inconclusive(
      rule,
      `accepted without the right token: ${names(taken)}; the API does not require a server to reject it`,
      evidence(taken.flatMap((outcome) => outcome.taken)),
    )
  else if (unclear.length > 0) judge.inconclusive(rule, 'neither accepted nor rejected', evidence(unclear))
  else if (worked.length === 0)
    judge.inconclusive(
      rule,
      'no route accepts the token that the profile names',
      evidence(refused.map(({ right }) => right)),
    )
  else
    judge.pass(
      rule,
      `rejected without a token and with wrong ones, accepted with the right one: ${names(worked)}`,
    )
}

/** A 404 is no rejection of the token: the list may name an entry that is gone. */
function isTokenRejected(reply: Reply): boolean {
  return isClientError(reply) && reply.status !== 404
}

function isUnclear(reply: Reply): boolean {
  return !isSuccess(reply) && !isTokenRejected(reply)
}

function post(path: string): Route {
  return { name: `POST ${path}`, prepare: async () => ({ spec: { method: 'POST', path } }) }
}

/** The token from verify stays valid across cookie refreshes. */
async function refreshThenLogOut(target: Target, session: Session): Promise<Prepared | undefined> {
  if (!isSuccess(await refresh(target, session))) return undefined
  return { spec: { method: 'POST', path: '/auth/logout' } }
}

async function listIds(target: Target, session: Session): Promise<readonly string[]> {
  const { list, id } = target.profile.choices.sessions
  return list === null || id === null ? [] : (await listSessions(target, session)).ids
}

/** Another session: a server may want a logout for the own one. */
async function revokeSession(
  _: Target,
  __: Session,
  [id, ...more]: readonly string[],
): Promise<Prepared | undefined> {
  if (id === undefined) return undefined
  const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
  const spec: RequestSpec = { method: 'POST', path, route: '/auth/sessions/{session_id}/revoke' }
  return { spec, ...(more.length === 0 ? { ends: 'first' as const } : {}) }
}

async function deleteToken(target: Target, session: Session): Promise<Prepared> {
  const credential = requireFullCredential(session)
  const reply = await postApiToken(target, credential)
  const token = await createdToken(target, reply, credential)
  if (!token) throw new CannotJudge(`no API token could be created: ${reply.evidence()}`)
  const path = `/api-tokens/${encodeURIComponent(token.id)}`
  return { spec: { method: 'DELETE', path, route: '/api-tokens/{id}' }, ends: token.bearer }
}

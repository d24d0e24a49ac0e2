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
  prepare(target: Target, session: Session, others: readonly string[]): Promise<RequestSpec | undefined>
}

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
  rules: ['auth.csrf.required'],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const foreign = await ifPossible(() =>
      signIn(target, differentWallets(target, 'logoutAll', 'refreshEnds')[1]),
    )
    try {
      const outcomes: Outcome[] = []
      for (const route of ROUTES) {
        const attempt = () => tryRoute(target, route, foreign?.csrf)
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

/** `foreign` is the token of a live session of another wallet. */
async function tryRoute(
  target: Target,
  { name, prepare }: Route,
  foreign: string | undefined,
): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  const wallet = walletFor(target, 'logoutAll')
  // Sessions have a token each; a server may wrongly know only the one of the wallet's first session.
  await withSession(target, wallet, async (first) => {
    const others = await listIds(target, first)
    await withSession(target, wallet, async (session) => {
      const spec = await prepare(target, session, others)
      if (spec === undefined) return
      const right = requireFullCredential(session)
      const send = (credential: Credential) => request(target, { ...spec, credential })
      const bad: Reply[] = []
      const ofOther = foreign === undefined || foreign === right.csrf ? [] : [foreign]
      for (const csrf of [undefined, MADE_UP, ...ofOther]) {
        bad.push(await send({ ...right, csrf }))
        if (bad.some(isSuccess)) break
      }
      const { alive, reply } = await isAlive(target, getCredential(session))
      if (!alive && !bad.some(isSuccess))
        throw new CannotJudge(`the session ended although ${name} was rejected: ${reply.evidence()}`)
      const taken = bad.filter(isSuccess)
      outcome = { name, bad, taken, right: taken.length > 0 ? undefined : await send(right) }
    })
  })
  return outcome
}

export const MADE_UP = 'not-the-token-that-verify-returned'

function judgeOutcomes(judge: Judge, outcomes: readonly Outcome[]): void {
  const rule = 'auth.csrf.required'
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
  return { name: `POST ${path}`, prepare: async () => ({ method: 'POST', path }) }
}

/** The token from verify stays valid across cookie refreshes. */
async function refreshThenLogOut(target: Target, session: Session): Promise<RequestSpec | undefined> {
  return isSuccess(await refresh(target, session)) ? { method: 'POST', path: '/auth/logout' } : undefined
}

async function listIds(target: Target, session: Session): Promise<readonly string[]> {
  const { list, id } = target.profile.choices.sessions
  return list === null || id === null ? [] : (await listSessions(target, session)).ids
}

/** Another session: a server may want a logout for the own one. */
async function revokeSession(
  _: Target,
  __: Session,
  [id]: readonly string[],
): Promise<RequestSpec | undefined> {
  if (id === undefined) return undefined
  const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
  return { method: 'POST', path, route: '/auth/sessions/{session_id}/revoke' }
}

async function deleteToken(target: Target, session: Session): Promise<RequestSpec> {
  const credential = requireFullCredential(session)
  const reply = await postApiToken(target, credential)
  const token = await createdToken(target, reply, credential)
  if (!token) throw new CannotJudge(`no API token could be created: ${reply.evidence()}`)
  return { method: 'DELETE', path: `/api-tokens/${encodeURIComponent(token.id)}`, route: '/api-tokens/{id}' }
}

import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, postApiToken } from '../lib/identity/api-token.ts'
import {
  credentialOf,
  fullCredentialOf,
  isAlive,
  listSessions,
  refresh,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isRefusal as is4xx } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import type { Judge } from '../lib/verdict/judge.ts'

type Route = {
  name: string
  /** The request, of something that the session may change; undefined where the profile does not tell how. */
  prepare(target: Target, session: Session): Promise<RequestSpec | undefined>
}

/** What a session changes by its cookie. POST /api-tokens has a rule of its own: there the header is stated as required. */
const ROUTES: readonly Route[] = [
  post('/auth/logout'),
  post('/auth/logout-all'),
  { name: 'POST /auth/sessions/{session_id}/revoke', prepare: revokeSession },
  { name: 'DELETE /api-tokens/{id}', prepare: deleteToken },
  { name: 'POST /auth/logout of a session that was refreshed', prepare: refreshThenLogOut },
]

/** How one route took the request: without a good token, and, where that was refused, with the right one. */
type Outcome = { name: string; bad: Reply[]; taken: Reply[]; right: Reply | undefined }

/**
 * That clients send the token is stated, and not that a server refuses without it: a request that is taken all the same
 * fails nothing. That the token from verify does is stated: a route that refuses it, while others take it, breaks the rule.
 */
export const csrf: Probe = {
  rules: ['auth.csrf.required'],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const outcomes: Outcome[] = []
    for (const route of ROUTES) {
      const outcome = await tryRoute(target, route)
      // Once more before it accuses.
      const again = outcome?.right && isRefusal(outcome.right) ? await tryRoute(target, route) : outcome
      if (again) outcomes.push(again)
    }
    judgeOutcomes(judge, outcomes)
  },
}

async function tryRoute(target: Target, { name, prepare }: Route): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined
  const wallet = walletFor(target, 'logoutAll')
  // Each session has a token of its own: that of the first one of its wallet may be the only one that is known.
  await withSession(target, wallet, () =>
    withSession(target, wallet, async (session) => {
      const spec = await prepare(target, session)
      if (spec === undefined) return
      const right = fullCredentialOf(session)
      const send = (credential: Credential) => request(target, { ...spec, credential })
      const bad: Reply[] = []
      for (const csrf of [undefined, MADE_UP]) {
        bad.push(await send({ ...right, csrf }))
        if (bad.some(isSuccess)) break
      }
      const { alive, reply } = await isAlive(target, credentialOf(session))
      if (!alive && !bad.some(isSuccess))
        throw new CannotJudge(`the session ended although ${name} was refused: ${reply.evidence()}`)
      const taken = bad.filter(isSuccess)
      outcome = { name, bad, taken, right: taken.length > 0 ? undefined : await send(right) }
    }),
  )
  return outcome
}

const MADE_UP = 'not-the-token-that-verify-returned'

function judgeOutcomes(judge: Judge, outcomes: readonly Outcome[]): void {
  const rule = 'auth.csrf.required'
  const rights = outcomes.flatMap(({ name, right }) => (right ? [{ name, right }] : []))
  const refused = rights.filter(({ right }) => isRefusal(right))
  const worked = rights.filter(({ right }) => isSuccess(right))
  const taken = outcomes.filter((outcome) => outcome.taken.length > 0)
  const unclear = outcomes.flatMap(({ bad, right }) => [...bad, ...(right ? [right] : [])]).filter(isUnclear)
  const names = (routes: readonly { name: string }[]) => routes.map(({ name }) => name).join(', ')
  const evidence = (replies: readonly Reply[]) => replies.map((reply) => reply.evidence())
  if (refused.length > 0 && worked.length > 0)
    judge.fail(
      rule,
      `refused with the token from verify: ${names(refused)}; taken: ${names(worked)}`,
      evidence(refused.map(({ right }) => right)),
    )
  else if (taken.length > 0)
    judge.inconclusive(
      rule,
      `taken without the right token: ${names(taken)}; that a server refuses is not stated`,
      evidence(taken.flatMap((outcome) => outcome.taken)),
    )
  else if (unclear.length > 0) judge.inconclusive(rule, 'neither taken nor refused', evidence(unclear))
  else if (worked.length === 0)
    judge.inconclusive(
      rule,
      'no route takes the token that the profile names',
      evidence(refused.map(({ right }) => right)),
    )
  else judge.pass(rule, `refused without and with a wrong token, taken with the right one: ${names(worked)}`)
}

/** What is not found was not looked for because of a token: the list may name what is not there any more. */
function isRefusal(reply: Reply): boolean {
  return is4xx(reply) && reply.status !== 404
}

function isUnclear(reply: Reply): boolean {
  return !isSuccess(reply) && !isRefusal(reply)
}

function post(path: string): Route {
  return { name: `POST ${path}`, prepare: async () => ({ method: 'POST', path }) }
}

/** The token is that of verify, however often the cookies have changed since. */
async function refreshThenLogOut(target: Target, session: Session): Promise<RequestSpec | undefined> {
  return isSuccess(await refresh(target, session)) ? { method: 'POST', path: '/auth/logout' } : undefined
}

async function revokeSession(target: Target, session: Session): Promise<RequestSpec | undefined> {
  const { list, id } = target.profile.choices.sessions
  const [known] = list === null || id === null ? [] : (await listSessions(target, session)).ids
  if (known === undefined) return undefined
  const path = `/auth/sessions/${encodeURIComponent(known)}/revoke`
  return { method: 'POST', path, route: '/auth/sessions/{session_id}/revoke' }
}

async function deleteToken(target: Target, session: Session): Promise<RequestSpec> {
  const credential = fullCredentialOf(session)
  const reply = await postApiToken(target, credential)
  const token = await createdToken(target, reply, credential)
  if (!token) throw new CannotJudge(`no API token to be had: ${reply.evidence()}`)
  return { method: 'DELETE', path: `/api-tokens/${encodeURIComponent(token.id)}`, route: '/api-tokens/{id}' }
}

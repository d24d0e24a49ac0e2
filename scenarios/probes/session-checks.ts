import type { Target } from '../../contract/scenario-config.ts'
import { type ApiToken, createdToken, postApiToken, revokeApiToken } from '../lib/identity/api-token.ts'
import {
  credentialRead,
  endSession,
  getCredential,
  isAlive,
  refresh,
  requireFullCredential,
  type Session,
} from '../lib/identity/session.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { findWrongRefusal, isStillServed } from '../lib/identity/still-served.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { mustBeServed } from '../lib/requests/must-be-served.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { byItself, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { readsServedTo } from './reads-served.ts'

/** Describes whether each session is alive or ended. */
export async function aliveness(
  target: Target,
  named: Record<string, Session>,
): Promise<{ text: string; evidence: string[] }> {
  const parts: string[] = []
  const evidence: string[] = []
  for (const [name, session] of Object.entries(named)) {
    const { alive, reply } = await isAlive(target, getCredential(session))
    parts.push(`${name}: ${alive ? 'alive' : 'ended'}`)
    evidence.push(reply.evidence())
  }
  return { text: parts.join(', '), evidence }
}

/**
 * Fails the rule if `earlier`, which was alive, has ended now that another session of the wallet has begun or was refreshed, and
 * is served. Passes nothing. Other probes with the same wallet may have ended it, so then it judges nothing.
 */
export async function judgeNotEnded(
  target: Target,
  judge: Judge,
  { rule, after, earlier, other }: { rule: string; after: string; earlier: Session; other: Session },
): Promise<void> {
  if (sharesWallets(target)) return
  const { outcome, reply, explanation } = await isStillServed(target, getCredential(earlier), {
    witness: getCredential(other),
  })
  const seen = `${after} of the wallet ends another session: ${explanation}`
  if (outcome === 'refused') judge.fail(rule, seen, [reply.evidence()])
}

/**
 * Fails the rule if `ended` is rejected, but not with 401, while `witness`, a live session of the same wallet, is served. Passes
 * nothing.
 */
export async function judgeRefusal(
  target: Target,
  judge: Judge,
  { rule, ended, witness }: { rule: string; ended: Session; witness: Session },
): Promise<void> {
  const wrong = await findWrongRefusal(target, getCredential(ended), { witness: getCredential(witness) })
  if (wrong) judge.fail(rule, `the session that ended: ${wrong.explanation}`, [wrong.reply.evidence()])
}

/**
 * Finds a 409 to a refresh that persists while a live session refreshes: the status is for concurrent refreshes, after which a
 * client tries again.
 */
export async function findFalseRace(
  target: Target,
  { refresh: again, live }: { refresh: () => Promise<Reply>; live: Session },
): Promise<{ reply: Reply; explanation: string } | undefined> {
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await again(),
    describeError: ({ status }) => (status === 409 ? '409' : undefined),
    again,
    witness: () => refreshLive(target, live),
  })
  return outcome === 'persistent' ? { reply: last, explanation } : undefined
}

export async function refreshLive(
  target: Target,
  live: Session,
): Promise<{ served: boolean; explanation: string }> {
  const { status } = await refresh(target, live)
  return { served: isSuccess({ status }), explanation: `a refresh of a live session -> ${status}` }
}

/** Fails the rule if a list that a live session may read is rejected, or gets an error, for as long as other data is served to it. */
export function judgeServed(
  target: Target,
  judge: Judge,
  { rule, path, session }: { rule: string; path: string; session: Session },
): Promise<void> {
  const credential = getCredential(session)
  const { method: _, ...sibling } = credentialRead(target, credential)
  // A firewall rejects words of a query, and this read has none: a 403 counts.
  const options = { unclear: [TOO_MANY], how: 'other data with the same session' }
  return byItself(judge, rule, async () => {
    await mustBeServed(target, { path, credential }, sibling, options)
  })
}

const TOO_MANY = 429

/** An API token that works, if the session can make one. */
export async function makeToken(target: Target, by: Session): Promise<ApiToken | undefined> {
  let made: ApiToken | undefined
  await unlessCannot(async () => {
    const credential = requireFullCredential(by)
    const token = await createdToken(target, await postApiToken(target, credential), credential)
    if (token && (await isAlive(target, token.bearer)).alive) made = token
    else if (token) await revokeApiToken(target, { id: token.id, credential })
  })
  return made
}

/** Returns the response to an ended session that could create an API token, which a live session of the wallet then revokes. */
async function writesServedTo(
  target: Target,
  { ended, live }: { ended: Session; live: Session },
): Promise<Reply[]> {
  const served: Reply[] = []
  await unlessCannot(async () => {
    const reply = await postApiToken(target, requireFullCredential(ended))
    if (!isSuccess(reply)) return
    served.push(reply)
    const owner = requireFullCredential(live)
    const token = await createdToken(target, reply, owner)
    if (token) await revokeApiToken(target, { id: token.id, credential: owner })
  })
  return served
}

type KeptToken = { rule: string; token: ApiToken | undefined; owner: Session; ended: Session | undefined }

/**
 * Only its own revocation ends an API token, and `ended`, a session of the wallet that has ended, cannot revoke it. Revokes it by a
 * live session of its owner.
 */
export async function judgeToken(
  target: Target,
  judge: Judge,
  { rule, token, owner, ended }: KeptToken,
): Promise<void> {
  if (token === undefined) return
  const credential = getCredential(owner)
  await unlessCannot(async () => {
    const check = () => isStillServed(target, token.bearer, { witness: credential })
    const { outcome, reply, explanation } = await check()
    if (outcome === 'refused')
      judge.fail(rule, `an API token of the wallet ends too: ${explanation}`, [reply.evidence()])
    if (outcome === 'served' && ended !== undefined) {
      const tried = await revokeApiToken(target, { id: token.id, credential: getCredential(ended) })
      const after = await check()
      const seen = `a session that has ended revokes an API token: ${tried.status}; ${after.explanation}`
      if (after.outcome === 'refused') judge.fail(rule, seen, [tried.evidence(), after.reply.evidence()])
    }
    await revokeApiToken(target, { id: token.id, credential })
  })
}

/** Refreshes with the cookies of a session that has ended. `back`: the session works again; it is then ended, unless kept. */
export async function tryRevival(
  target: Target,
  stale: Session,
  { keep = false }: { keep?: boolean } = {},
): Promise<{ refreshed: Reply; read: Reply; back: boolean }> {
  const refreshed = await refresh(target, stale)
  const read = await isAlive(target, getCredential(stale))
  const back = isSuccess(refreshed) && read.alive
  if (back && !keep) await endSession(target, stale)
  return { refreshed, read: read.reply, back }
}

/** A server may check only the token of a session that writes, and its store for reads. */
export async function requestsServedTo(
  target: Target,
  sessions: { ended: Session; live: Session },
): Promise<Reply[]> {
  const reads = await readsServedTo(target, getCredential(sessions.ended))
  return [...reads, ...(await writesServedTo(target, sessions))]
}

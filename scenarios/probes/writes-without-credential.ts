import type { Target } from '../../contract/scenario-config.ts'
import { postApiToken, revokeApiToken, withApiToken } from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import {
  credentialRead,
  type getCredential,
  isAlive,
  requireFullCredential,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { ifPossible, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

export type Write = {
  rule: string
  name: string
  send: (credential?: Credential) => Promise<Reply>
  /** A credential that may send it. */
  owner: ReturnType<typeof getCredential>
  /** Sends it with a credential: a 404 is wrong if that succeeds. By default, a 404 is not judged. */
  works?: () => Promise<boolean>
  /** A success changes nothing, so it is not judged. */
  isIdle?: true
  /** A credential that works, and that a rejected request must not end, and another valid one. */
  kept?: { credential: Credential; witness: Credential }
}

/** Changes that need a session, of things that exist: without a credential each must be rejected with 401. */
export async function judgeWritesWithoutCredential(
  target: Target,
  judge: Judge,
  rule: string,
): Promise<void> {
  const wallet = walletFor(target, 'signIn')
  const tryOne = (write: Omit<Write, 'rule'>) =>
    unlessCannot(() => judgeWithoutCredential(target, judge, { rule, ...write }))
  await unlessCannot(() =>
    withSession(target, wallet, async (session) => {
      const owner = requireFullCredential(session)
      await tryOne({ name: 'POST /api-tokens', owner, send: (by) => postApiToken(target, by) })
      await unlessCannot(() =>
        withApiToken(target, owner, async ({ id, bearer }) => {
          const works = (await isAlive(target, bearer)).alive
          await tryOne({
            name: 'DELETE /api-tokens/{id}',
            owner,
            send: (credential) => revokeApiToken(target, { id, credential }),
            works: async () => isSuccess(await revokeApiToken(target, { id, credential: owner })),
            ...(works ? { kept: { credential: bearer, witness: owner } } : {}),
          })
        }),
      )
      const [id] = (await listSessions(target, session)).ids
      if (id === undefined) return
      // The session itself, if it is the only one. Another probe with its wallet may end it.
      const witness = sharesWallets(target) ? undefined : await ifPossible(() => readCredential(target))
      const kept =
        witness && (await isAlive(target, owner)).alive ? { kept: { credential: owner, witness } } : {}
      const send = (by?: Credential) => revokeSession(target, { id, by })
      const works = () => revokesAnother(target, session)
      await tryOne({ name: 'POST /auth/sessions/{session_id}/revoke', owner, send, works, ...kept })
      // Last, because a faulty target may end the session.
      const logout = (credential?: Credential) =>
        request(target, { method: 'POST', path: '/auth/logout', credential })
      await tryOne({ name: 'POST /auth/logout', owner, send: logout, isIdle: true })
      // With a credential, it would end the sessions of other probes.
      const logoutAll = (by?: Credential) =>
        by ? logout(by) : request(target, { method: 'POST', path: '/auth/logout-all' })
      await tryOne({ name: 'POST /auth/logout-all', owner, send: logoutAll, isIdle: true })
    }),
  )
}

/** True if the session revokes another of its wallet: one that is listed may belong to another probe. */
async function revokesAnother(target: Target, session: Session): Promise<boolean> {
  const owner = requireFullCredential(session)
  const { ids: known } = await listSessions(target, session)
  let works = false
  await withSession(target, session.wallet, async () => {
    const [id, ...others] = (await listSessions(target, session)).ids.filter((one) => !known.includes(one))
    if (id === undefined || others.length > 0) return
    works = isSuccess(await revokeSession(target, { id, by: owner }))
  })
  return works
}

/**
 * Fails a change that is accepted without a credential, or rejected with 403 instead of 401, or with 404 although it exists.
 * Passes nothing.
 */
export async function judgeWithoutCredential(
  target: Target,
  judge: Judge,
  { rule, name, send, owner, works, isIdle, kept }: Write,
): Promise<void> {
  const first = await send()
  const fail = (seen: string) => judge.fail(rule, `${name} without a credential: ${seen}`, [first.evidence()])
  if (isSuccess(first) && isIdle) return
  if (isSuccess(first) || isError(first)) return fail(String(first.status))
  if (kept && isClientError(first)) {
    const { outcome, reply, explanation } = await isStillServed(target, kept.credential, kept)
    const seen = `${name} without a credential returned ${first.status}, but what it is about has ended: ${explanation}`
    if (outcome === 'refused') return judge.fail(rule, seen, [first.evidence(), reply.evidence()])
  }
  const describeError = ({ status }: Reply) =>
    status === 403 || (status === 404 && works) ? String(status) : undefined
  const { outcome, explanation } = await confirm({
    first,
    describeError,
    again: () => send(),
    witness: async () => {
      const { status } = await request(target, credentialRead(target, owner))
      return { served: status === 200, explanation: `a read with a session -> ${status}` }
    },
  })
  if (outcome !== 'persistent') return
  if (first.status === 404) {
    if (await works?.()) fail(`${explanation}; with one it succeeds`)
    return
  }
  // A server may check the CSRF header before the credential.
  const withoutHeader = await send({ ...owner, csrf: undefined })
  const codes = [first, withoutHeader].map(({ status, json }) => `${status} ${pickText(json, 'code')}`)
  if (codes[0] !== codes[1]) fail(explanation)
}

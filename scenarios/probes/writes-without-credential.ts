import type { Target } from '../../contract/scenario-config.ts'
import { postApiToken, revokeApiToken, withApiToken } from '../lib/identity/api-token.ts'
import {
  credentialRead,
  type getCredential,
  listSessions,
  requireFullCredential,
  revokeSession,
  withSession,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

type Write = {
  rule: string
  name: string
  send: (credential?: Credential) => Promise<Reply>
  /** A credential that may send it. */
  owner: ReturnType<typeof getCredential>
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
        withApiToken(target, owner, ({ id }) =>
          tryOne({
            name: 'DELETE /api-tokens/{id}',
            owner,
            send: (credential) => revokeApiToken(target, { id, credential }),
          }),
        ),
      )
      const [id] = (await listSessions(target, session)).ids
      if (id === undefined) return
      const send = (by?: Credential) => revokeSession(target, { id, by })
      await tryOne({ name: 'POST /auth/sessions/{session_id}/revoke', owner, send })
    }),
  )
}

/** Fails a change that is accepted without a credential, or rejected with 403 instead of 401. Passes nothing. */
export async function judgeWithoutCredential(
  target: Target,
  judge: Judge,
  { rule, name, send, owner }: Write,
): Promise<void> {
  const first = await send()
  const fail = (seen: string) => judge.fail(rule, `${name} without a credential: ${seen}`, [first.evidence()])
  if (isSuccess(first) || isError(first)) return fail(String(first.status))
  if (first.status !== 403) return
  const { outcome, explanation } = await confirm({
    first,
    describeError: ({ status }) => (status === 403 ? '403' : undefined),
    again: () => send(),
    witness: async () => {
      const { status } = await request(target, credentialRead(target, owner))
      return { served: status === 200, explanation: `a read with a session -> ${status}` }
    },
  })
  // A server may check the CSRF header before the credential.
  const withoutHeader = await send({ ...owner, csrf: undefined })
  const codes = [first, withoutHeader].map(({ status, json }) => `${status} ${pickText(json, 'code')}`)
  if (outcome === 'persistent' && codes[0] !== codes[1]) fail(explanation)
}

import { challengeRequest, verifyRequest } from '../../client/session.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  credentialRead,
  endSession,
  getCredential,
  refreshSpec,
  type Session,
  startSession,
} from '../lib/identity/session.ts'
import { beginSignIn } from '../lib/identity/shared-wallets.ts'
import { sign } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { unlessCannot } from '../lib/verdict/judge.ts'

const PUBLIC_READS = { 'access.public.pools': '/pools', 'access.public.tokens': '/tokens' }

/**
 * A browser still sends the cookies of a session that ended elsewhere: the sign-in and public reads work with them. A 401 or 403
 * counts if it persists while the same is served without cookies. Nothing is judged once a response has set or deleted one.
 */
export async function judgeEndedCookies(target: Target, ended: Session): Promise<void> {
  const credential = getCredential(ended)
  const names = Object.values(target.profile.choices.cookies)
  const isKept = ({ cookies }: Reply) => !cookies.some(({ name }) => names.includes(name))
  const judge = (rule: string, what: string, send: (by?: Credential) => Promise<Reply>) =>
    unlessCannot(async () => {
      const { outcome, last, explanation } = await confirm<Reply>({
        first: await send(credential),
        describeError: (reply) =>
          [401, 403].includes(reply.status) && isKept(reply) ? String(reply.status) : undefined,
        again: () => send(credential),
        witness: async () => {
          const { status } = await send()
          return { served: isSuccess({ status }), explanation: `without cookies -> ${status}` }
        },
      })
      const seen = `${what} with the cookies of a session that has ended: ${explanation}`
      if (outcome === 'persistent') noteProblem(rule, seen, () => last.evidence())
    })
  await unlessCannot(async () => {
    // After a 401, a browser refreshes.
    for (const spec of [credentialRead(target, credential), refreshSpec(credential)])
      if (!isKept(await request(target, spec))) return
    // Together, because confirming an error takes long.
    await Promise.all([
      ...Object.entries(PUBLIC_READS).map(([rule, path]) =>
        judge(rule, `GET ${path}`, (by) => request(target, { method: 'GET', path, credential: by })),
      ),
      judge('auth.verify.signs-in', 'a sign-in', async (by) => {
        const signedIn = await beginSignIn(target)
        return await signInBy(target, ended.wallet, by).finally(signedIn)
      }),
    ])
  })
}

/** Returns the response to the challenge if that is rejected, else to verify. Ends the session. */
async function signInBy(target: Target, wallet: Wallet, credential: Credential | undefined): Promise<Reply> {
  const challenged = await request(target, { ...challengeRequest(wallet.address), credential })
  const message = pickText(challenged.json, 'data.message')
  if (!isSuccess(challenged) || message === undefined) return challenged
  const signature = await sign(target, wallet, message)
  const body = { address: wallet.address, signature }
  const verified = await request(target, { ...verifyRequest(body), credential })
  if (isSuccess(verified)) await endSession(target, startSession(target, { wallet, verified }))
  return verified
}

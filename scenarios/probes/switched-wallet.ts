import { verifyRequest } from '../../client/session.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { listApiTokens } from '../lib/identity/api-token.ts'
import {
  challenge,
  copySession,
  endSession,
  getCredential,
  isAlive,
  type Session,
  takeReply,
  withSession,
} from '../lib/identity/session.ts'
import { sign } from '../lib/identity/wallet.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

type Switch = {
  rule: string
  from: Wallet
  to: Wallet
  /** An API token of `from`. */
  id: string
}

/**
 * Signs `to` in with the cookies of a session of `from`, as a browser does when its user changes wallets: the tokens of `from` must
 * not be listed to the session that follows. A rejected sign-in is not judged. Passes nothing.
 */
export async function judgeSwitchedWallet(
  target: Target,
  judge: Judge,
  { rule, from, to, id }: Switch,
): Promise<void> {
  await unlessCannot(() =>
    // Its own session, since the sign-in may end it.
    withSession(target, from, async (session) => {
      const switched = await switchWallet(target, session, to)
      if (!switched) return
      try {
        const list = () => listApiTokens(target, getCredential(switched))
        const { outcome, last, explanation } = await confirm<Reply>({
          first: await list(),
          describeError: ({ text }) => (text.includes(`"${id}"`) ? 'listed' : undefined),
          again: list,
          witness: async () => {
            const { alive, reply } = await isAlive(target, getCredential(switched))
            return { served: alive, explanation: `a read -> ${reply.status}` }
          },
        })
        const seen = `another wallet signed in with the cookies of the first, whose token is then ${explanation}`
        if (outcome === 'persistent') judge.fail(rule, seen, [switched.verified.evidence(), last.evidence()])
      } finally {
        await endSession(target, switched)
      }
    }),
  )
}

/** Returns the session of the browser after the sign-in, or undefined if that is rejected. */
async function switchWallet(target: Target, session: Session, to: Wallet): Promise<Session | undefined> {
  const signature = await sign(target, to, await challenge(target, to))
  const verified = await request(target, {
    ...verifyRequest({ address: to.address, signature }),
    credential: getCredential(session),
  })
  if (!isSuccess(verified)) return undefined
  const switched = { ...copySession(session), wallet: to, verified }
  takeReply(target, switched, verified)
  return switched
}

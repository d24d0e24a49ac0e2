import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { challenge, startsSession, withSession } from '../lib/identity/session.ts'
import { sign, walletFor } from '../lib/identity/wallet.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isRefusal } from '../lib/probe/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'

/** Signatures that must not sign in. A good sign-in comes first: else the scheme of the profile may be all that is wrong. */
export const signatures: Probe = {
  rules: ['auth.verify.rejects-forged', 'auth.verify.rejects-altered'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    await withSession(target, wallet, async () => {})
    await judgeAltered(target, judge, wallet)
    await judgeForged(target, judge, wallet)
  },
}

/** By the wallet itself, over a message that nobody gave it. */
async function judgeAltered(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const message = await challenge(target, wallet)
  const signature = await sign(target, wallet, `${message}altered`)
  await judgeAttempt(target, judge, { rule: 'auth.verify.rejects-altered', wallet, signature })
}

/** Another wallet's signature over the right message. */
async function judgeForged(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const rule = 'auth.verify.rejects-forged'
  const message = await challenge(target, wallet)
  const forger = target.wallets.find(({ address }) => address !== wallet.address)
  if (!forger) judge.skip(rule, 'needs a second wallet to forge with')
  else await judgeAttempt(target, judge, { rule, wallet, signature: await sign(target, forger, message) })
}

async function judgeAttempt(
  target: Target,
  judge: Judge,
  { rule, wallet, signature }: { rule: string; wallet: Wallet; signature: string },
): Promise<void> {
  const body = { address: wallet.address, signature }
  const reply: Reply = await request(target, { method: 'POST', path: '/auth/verify', body })
  const inside = await startsSession(target, { wallet, reply })
  const seen = `${reply.status}, ${inside ? 'and a session' : 'no session'}`
  if (!inside && !isRefusal(reply))
    throw new CannotJudge(`neither signed in nor refused: ${reply.evidence()}`)
  judge.that(rule, !inside && !isSuccess(reply), seen, [reply.evidence()])
}

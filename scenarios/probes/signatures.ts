import { verifyRequest } from '../../client/session.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  challenge,
  credentialRead,
  getCredential,
  type Session,
  startsSession,
  wholeChallenge,
  withSession,
} from '../lib/identity/session.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { differentRebuildings, zeroed } from '../lib/identity/signing.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { sign, walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const FORGED = 'auth.verify.rejects-forged'
const REBUILT = 'auth.verify.rejects-rebuilt'

/** Signatures that must not sign in. A valid sign-in comes first, in case the profile states the wrong scheme. */
export const signatures: Probe = {
  rules: [FORGED, 'auth.verify.rejects-altered', REBUILT],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    // Both with and without a session of the wallet.
    const { held, release } = holdPasses(judge)
    await withSession(target, wallet, async (session) => {
      await judgeAltered(target, held, wallet)
      await judgeForged(target, held, wallet)
      await judgeLeftAlone(target, held, session)
      await judgeRebuilt(target, held, wallet)
    })
    await judgeAltered(target, held, wallet)
    await judgeForged(target, held, wallet)
    release()
  },
}

/**
 * A wrong signature ends no session of the wallet. The witness signs in only if it is needed, because a sign-in may end other
 * sessions. Another probe with the wallet may have ended it, so then it judges nothing. Passes nothing.
 */
export async function judgeLeftAlone(target: Target, judge: Judge, session: Session): Promise<void> {
  const credential = getCredential(session)
  if (sharesWallets(target) || !isClientError(await request(target, credentialRead(target, credential))))
    return
  await unlessCannot(() =>
    withSession(target, session.wallet, async (live) => {
      const witness = getCredential(live)
      const { outcome, reply, explanation } = await isStillServed(target, credential, { witness })
      const seen = `wrong signatures end a session of the wallet: ${explanation}`
      if (outcome === 'refused') judge.fail(FORGED, seen, [reply.evidence()])
    }),
  )
}

async function judgeAltered(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const message = await challenge(target, wallet)
  const signature = await sign(target, wallet, `${message}altered`)
  await judgeAttempt(target, judge, { rule: 'auth.verify.rejects-altered', wallet, signature })
}

async function judgeForged(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const rule = FORGED
  await unlessCannot(() => judgeEmpty(target, judge, { rule, wallet }))
  const message = await challenge(target, wallet)
  const forger = target.wallets.find(({ address }) => address !== wallet.address)
  if (!forger) judge.skip(rule, 'needs a second wallet to forge with', 'wallets')
  else {
    await judgeAttempt(target, judge, { rule, wallet, signature: await sign(target, forger, message) })
    const own = await sign(target, forger, await challenge(target, forger))
    await judgeAttempt(target, judge, { rule, wallet, signature: own })
  }
}

/** No signature, and one of zeros, which a careless check takes (CVE-2022-21449). */
async function judgeEmpty(
  target: Target,
  judge: Judge,
  { rule, wallet }: { rule: string; wallet: Wallet },
): Promise<void> {
  for (const how of ['empty', 'zero'] as const) {
    const real = await sign(target, wallet, await challenge(target, wallet))
    const signature = how === 'empty' ? '' : zeroed(real, target.profile.choices.signature.encoding)
    const { reply, inside } = await attempt(target, { wallet, signature })
    if (inside || isSuccess(reply))
      judge.fail(rule, `${reply.status} for a signature that is ${how}`, [reply.evidence()])
  }
}

/**
 * The wallet's own signature over a message that a careless client rebuilt. Each gets its own challenge, since a rejection may
 * use it up. A valid sign-in at the end checks that the wallet is not locked out.
 */
async function judgeRebuilt(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const ways = differentRebuildings(await wholeChallenge(target, wallet))
  const refused: Reply[] = []
  for (const { how, rebuild } of ways) {
    const signature = await sign(target, wallet, rebuild(await wholeChallenge(target, wallet)))
    const { reply, inside } = await attempt(target, { wallet, signature })
    if (inside || !isClientError(reply)) {
      const seen = `${reply.status}, ${inside ? 'and a session' : 'no session'}, over the message ${how}`
      return judge.fail(REBUILT, seen, [reply.evidence()])
    }
    refused.push(reply)
  }
  await withSession(target, wallet, async () => {})
  const seen = `rejected over the message ${ways.map(({ how }) => how).join(', ')}`
  if (ways.length === 0) judge.inconclusive(REBUILT, 'nothing changes the message')
  else
    judge.pass(
      REBUILT,
      seen,
      refused.slice(-1).map((reply) => reply.evidence()),
    )
}

async function judgeAttempt(
  target: Target,
  judge: Judge,
  { rule, ...signed }: { rule: string; wallet: Wallet; signature: string },
): Promise<void> {
  const { reply, inside } = await attempt(target, signed)
  const seen = `${reply.status}, ${inside ? 'and a session' : 'no session'}`
  judge.that(rule, !inside && isClientError(reply), seen, [reply.evidence()])
}

/** Neither a success without a session nor a persistent error is a rejection. Throws CannotJudge for a redirect. */
async function attempt(
  target: Target,
  { wallet, signature }: { wallet: Wallet; signature: string },
): Promise<{ reply: Reply; inside: boolean }> {
  const reply = await request(target, verifyRequest({ address: wallet.address, signature }))
  const inside = await startsSession(target, { wallet, reply })
  if (!inside && !isClientError(reply) && !isSuccess(reply) && !isError(reply))
    throw new CannotJudge(`neither signed in nor rejected: ${reply.evidence()}`)
  return { reply, inside }
}

// The response to a refresh is lost: one client keeps sending its old token, the other signs in again.
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import {
  endSession,
  getCredential,
  isAlive,
  type Session,
  startSession,
  takeReply,
  verifyWallet,
} from '../lib/identity/session.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { isSuccess, type Reply, send } from '../lib/requests/request.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'
import { judgeRejectedSignIn } from '../probes/sign-in.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('lost') }

const SIGNS_IN = 'auth.verify.signs-in'

export function lost(): Promise<void> {
  return runCase([SIGNS_IN], async (judge) => {
    const repeating = actor('repeating-client')
    const right = actor('right-client')
    mustHaveControl(right, 'losing the response to a refresh')
    const [mine, other] = differentWallets(right, 'race', 'refreshEnds')
    await step('two clients sign in')
    const repeatedSession = await signInOrFail(repeating, judge, mine)
    const session = await signInOrFail(right, judge, other)

    await step('the repeating client refreshes, and the response is lost')
    await beginFaults()
    await refreshOnce(repeating, repeatedSession)
    await step('it refreshes with the same token repeatedly')
    const statuses: number[] = []
    for (let count = 0; count < readNumber('tries'); count++) {
      const reply = await refreshOnce(repeating, repeatedSession)
      statuses.push(reply.status)
      if (isSuccess(reply)) break
      await elapse(repeating, readNumber('secondsBetween') * 1000)
    }
    let left = await isAlive(repeating, getCredential(repeatedSession))
    for (let count = 0; count < readNumber('reads') && !left.alive; count++) {
      await elapse(repeating, 1000)
      left = await isAlive(repeating, getCredential(repeatedSession))
    }
    const end = left.alive ? 'its session is alive' : 'its session is over: a reused token looks stolen'
    outcome(repeating, `got ${statuses.join(', ')}; ${end}`)

    await step(
      'the right client loses a response too: it refreshes again immediately, and signs in again if that is rejected',
    )
    await beginFaults()
    await refreshOnce(right, session)
    const again = await refreshOnce(right, session)
    const newSession = isSuccess(again) ? session : await signInOrFail(right, judge, other)
    const { alive, reply } = await isAlive(right, getCredential(newSession))
    outcome(
      right,
      `${alive ? 'served' : 'rejected'}, ${newSession === session ? 'with its session' : 'with a new session'}`,
    )
    judge.that(SIGNS_IN, alive, alive ? 'the session reads /swaps' : 'the session is rejected', [
      reply.evidence(),
    ])
    for (const one of new Set([session, newSession])) await endSession(right, one)
    await endSession(repeating, repeatedSession)
  })
}

async function signInOrFail(target: Target, judge: Judge, wallet: Wallet): Promise<Session> {
  const verified = await verifyWallet(target, wallet)
  if (isSuccess(verified)) return startSession(target, { wallet, verified })
  await judgeRejectedSignIn(target, judge, wallet)
  throw new CannotJudge(`sign-in was rejected: ${verified.evidence()}`)
}

async function refreshOnce(target: Target, session: Session): Promise<Reply> {
  const credential = getCredential(session)
  const reply = await send(target, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] })
  takeReply(target, session, reply)
  return reply
}

// A user clicks twice and keeps clicking.
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, type Judge, requireChoice } from '../lib/verdict/judge.ts'
import { canWait, control, elapseLong } from '../lib/world/control.ts'
import { claim, judgeAgain } from '../probes/faucet.ts'
import { judgeRefusal } from '../probes/faucet-twice.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('claims') }

const ACCEPTED = 'faucet.claim.accepted'
const ONCE = 'faucet.claim.once'
const AGAIN = 'faucet.claim.again'
const LATE_MS = 16 * 60_000

export function claims(): Promise<void> {
  return runCase([ACCEPTED, ONCE, AGAIN], async (judge) => {
    const impatient = actor('impatient-user')
    const right = actor('right-user')
    const { path, address } = impatient.profile.choices.faucet
    requireChoice(path, 'the path of the faucet')
    requireChoice(address, 'the address field of the faucet')
    const [mine, other] = differentWallets(impatient, 'faucet', 'faucetOther')

    await step('two users claim')
    const first = await claimFirst(impatient, judge, mine)
    const patient = await claim(right, other)
    outcome(
      right,
      `got ${patient.status}: one claim, and the page offers no other until the interval is over`,
    )

    await step('one user clicked twice, sees a rejection, and keeps clicking')
    const refusals: number[] = []
    for (let count = 0; count < readNumber('clicks'); count++) {
      const reply = await claim(impatient, mine)
      if (count === 0) judgeRefusal(judge, ONCE, { reply, accepted: first, when: 'immediately' })
      refusals.push(reply.status)
    }
    outcome(impatient, `got ${first.status}, then ${refusals.join(', ')}: it believes that no tokens arrived`)

    await step('15 minutes later both claim again')
    await waitLong(right)
    if (!isSuccess(patient)) throw new CannotJudge(`the first claim failed: ${patient.evidence()}`)
    const late = await judgeAgain(right, judge, {
      patient: { wallet: other, reply: patient },
      leftAlone: true,
      claimedStatus: refusals[0] ?? 0,
    })
    outcome(right, `got ${late.status}`)
  })
}

/** A rejection may be due to an earlier run, so retries once after the claim interval. */
async function claimFirst(target: Target, judge: Judge, wallet: Wallet): Promise<Reply> {
  const first = await claim(target, wallet)
  if (!isSuccess(first) && !canWait(target, LATE_MS))
    throw new CannotJudge(`rejected, possibly because of a claim in an earlier run: ${first.evidence()}`)
  if (!isSuccess(first)) await waitLong(target)
  const last = isSuccess(first) ? first : await claim(target, wallet)
  const seen = isSuccess(first) ? `${first.status}` : `${last.status} after 16 minutes without a claim`
  // Any request may get 429.
  if (isSuccess(last)) judge.pass(ACCEPTED, seen, [last.evidence()])
  else if (last.status >= 400 && last.status < 500 && ![401, 403, 404, 405, 429].includes(last.status))
    judge.fail(ACCEPTED, seen, [last.evidence()])
  if (!isSuccess(last)) throw new CannotJudge(`no claim was accepted: ${last.evidence()}`)
  return last
}

async function waitLong(target: Target): Promise<void> {
  // A claim counts from its block, and moving the clock mines none.
  if (hasControl(target)) await control(target, '/mine', { blocks: 1 })
  await elapseLong(target, LATE_MS)
}

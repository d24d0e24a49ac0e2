import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { GaveUp } from '../lib/requests/patient.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import {
  byItself,
  CannotJudge,
  CannotProbe,
  holdPasses,
  type Judge,
  reportFailuresOnly,
  requireChoice,
  unlessCannot,
} from '../lib/verdict/judge.ts'
import { canWait, control, elapse, elapseLong, mustBeAbleToWait, nowMs } from '../lib/world/control.ts'
import { claimAtOnce, judgeByToken, judgeOtherCaller, judgeRefusal, judgeSpaced } from './faucet-twice.ts'

const MINUTE_MS = 60_000
const INTERVAL_MS = LIMITS.faucetSeconds * 1000
/** Longer than a server remembers that only rejects double clicks, or has the limit of a test network. */
const SOON_MS = 70_000
const EARLY_MS = INTERVAL_MS - MINUTE_MS
/** A later claim may fall after the interval on the target's own clock. */
const EARLY_MS_MAX = INTERVAL_MS - 15_000
const LATE_MS = INTERVAL_MS + MINUTE_MS

/** Skipped first, so that the time limit of the run is not given as the reason. */
const SLOW = ['faucet.claim.still-refused', 'faucet.claim.again']
const ONCE = 'faucet.claim.once'

/** `sentMs`: before the claim, by the clock of the target if it can be read. */
type Claim = { wallet: Wallet; reply: Reply; sentMs: number }

/** The faucet accepts one claim per address in 15 minutes: claims at once, a minute later, one minute early, and one minute late. */
export const faucet: Probe = {
  rules: [
    'faucet.claim.accepted',
    ONCE,
    'faucet.claim.per-address',
    'faucet.claim.still-refused',
    'faucet.claim.again',
  ],
  world: 'clock',
  async run(target, judge) {
    for (const rule of SLOW) await byItself(judge, rule, async () => mustBeAbleToWait(target, LATE_MS))
    const claims = await openClaims(target, judge)
    const openedMs = await nowMs(target)
    const taken = claims.filter(({ reply }) => isSuccess(reply))
    // With two addresses, only one claims early, since the API does not say how a rejected claim counts. It is the first, so that
    // the other's claim comes between its own.
    const [hasty, patient] = [taken[0], taken.at(-1)]
    if (!patient || !hasty) return
    judge.pass('faucet.claim.accepted', `${patient.reply.status}`, [patient.reply.evidence()])
    if (taken.length > 1) judge.pass('faucet.claim.per-address', 'accepted for one address, then for another')
    if (claims.length < 2)
      judge.skip('faucet.claim.per-address', 'needs a second wallet to claim for', 'wallets')

    const { wallet, reply: accepted } = hasty
    const second = await claim(target, wallet)
    const atOnce = { reply: second, accepted, when: 'at once' }
    const failures = reportFailuresOnly(judge)
    judgeRefusal(failures, ONCE, atOnce)
    const more = {
      wallet,
      accepted,
      claim: (one: Wallet, credential: Credential) => post(target, one, credential),
    }
    await unlessCannot(() => judgeByToken(target, failures, more))
    const claimants = claims.map((one) => one.wallet)
    await unlessCannot(() => judgeOtherCaller(target, failures, { ...more, claimants }))
    await unlessCannot(() => judgeSpacedClaim(target, failures, hasty))
    // A claim counts from its block, and a moved clock mines none.
    if (hasControl(target)) await control(target, '/mine', { blocks: 1 })
    await elapse(target, SOON_MS)
    const soon = { reply: await claim(target, wallet), accepted, when: `${SOON_MS / 1000} s later` }
    const { held, release } = holdPasses(judge)
    judgeRefusal(failures, ONCE, soon)
    for (const one of [atOnce, soon]) judgeRefusal(held, ONCE, one)
    release()
    const late = claims.find(({ reply }) => !isSuccess(reply))
    if (late && !canWait(target, LATE_MS)) {
      const why = `an earlier run may have claimed for the second address: ${late.reply.evidence()}`
      judge.inconclusive('faucet.claim.per-address', why)
    }
    await judgeInTime(target, judge, { patient, hasty, late, second, openedMs })
  },
}

async function judgeSpacedClaim(
  target: Target,
  judge: Judge,
  { wallet, reply: accepted }: Claim,
): Promise<void> {
  const { address } = wallet
  await withPost(target, wallet, async (post) => {
    await judgeSpaced(judge, { address, accepted, claim: (spaced) => post({ address: spaced }) })
    return undefined
  })
}

/**
 * Claims for two addresses. If both are rejected, an earlier run may have claimed: waits for the interval and tries again. A
 * faucet that then rejects both accepts no claims.
 */
async function openClaims(target: Target, judge: Judge): Promise<Claim[]> {
  const wallets = claimants(target)
  const first = await claimEach(target, judge, wallets)
  if (first.some(({ reply }) => isSuccess(reply))) return first
  const evidence = first.map(({ reply }) => reply.evidence())
  if (!canWait(target, LATE_MS))
    throw new CannotJudge(`rejected, possibly after a claim of an earlier run: ${evidence[0]}`)
  await elapseLong(target, LATE_MS)
  const second = await claimEach(target, judge, wallets)
  if (second.some(({ reply }) => isSuccess(reply))) return second
  evidence.push(...second.map(({ reply }) => reply.evidence()))
  const statuses = second.map(({ reply }) => reply.status)
  const seen = `${statuses.join(', ')} after 16 minutes without a claim`
  const [refused] = second
  if (refused && !statuses.includes(429) && (await isLasting(target, refused)))
    judge.fail('faucet.claim.accepted', seen, evidence)
  throw new CannotJudge(`no claim was accepted: ${seen}`)
}

/** A rejection counts at once; a server error only if it persists while other requests are served. */
async function isLasting(
  target: Target,
  { wallet, reply }: Pick<Claim, 'wallet' | 'reply'>,
): Promise<boolean> {
  if (!isError(reply)) return true
  const { outcome } = await confirm({
    first: reply,
    describeError: (one) => (isError(one) ? String(one.status) : undefined),
    again: () => claimOrError(target, wallet),
    witness: () => readTokens(target),
  })
  return outcome === 'persistent'
}

async function readTokens(target: Target): Promise<{ served: boolean; explanation: string }> {
  const { status } = await request(target, { method: 'GET', path: '/tokens' })
  return { served: status === 200, explanation: `GET /tokens -> ${status}` }
}

async function judgeInTime(
  target: Target,
  judge: Judge,
  claims: { patient: Claim; hasty: Claim; late: Claim | undefined; second: Reply; openedMs: number },
): Promise<void> {
  const { patient, hasty, late, second, openedMs } = claims
  mustBeAbleToWait(target, LATE_MS)
  if (hasControl(target)) await control(target, '/mine', { blocks: 1 })
  await elapseLong(target, Math.max(0, openedMs + EARLY_MS - (await nowMs(target))))
  const early = await claim(target, hasty.wallet)
  const passedMs = (await nowMs(target)) - hasty.sentMs
  const rule = 'faucet.claim.still-refused'
  if (passedMs > EARLY_MS_MAX) judge.inconclusive(rule, `${passedMs} ms had passed, too many to judge`)
  judgeRefusal(judge, rule, { reply: early, accepted: hasty.reply, when: 'after 14 minutes' })

  await elapseLong(target, LATE_MS - EARLY_MS)
  await judgeAgain(target, judge, { patient, leftAlone: patient !== hasty, claimedStatus: second.status })
  if (!late) return
  const other = await claimOrError(target, late.wallet)
  const seen = `accepted for one address, then ${other.status} for another that left the faucet alone for 16 minutes`
  if (other.status === 429) throw new CannotJudge(`any request may get 429: ${other.evidence()}`)
  if (!(await isLasting(target, { ...late, reply: other }))) throw new CannotJudge(seen)
  judge.that('faucet.claim.per-address', isSuccess(other), seen, [other.evidence()])
}

/** A 429 that means "already claimed" must persist while other requests are served, since any request may get one. */
export async function judgeAgain(
  target: Target,
  judge: Judge,
  options: { patient: Omit<Claim, 'sentMs'>; leftAlone: boolean; claimedStatus: number },
): Promise<Reply> {
  const rule = 'faucet.claim.again'
  const reply = await claim(target, options.patient.wallet)
  const seen = `${reply.status} after 16 minutes`
  if (isSuccess(reply)) judge.pass(rule, seen, [reply.evidence()])
  else if (!options.leftAlone)
    judge.inconclusive(rule, `${seen}, with rejected claims in between`, [reply.evidence()])
  else if (reply.status !== 429) judge.fail(rule, seen, [reply.evidence()])
  else if (options.claimedStatus !== 429)
    judge.inconclusive(rule, `any request may get 429: ${seen}`, [reply.evidence()])
  else return await judgePersistent(target, judge, options.patient.wallet, reply)
  return reply
}

async function judgePersistent(target: Target, judge: Judge, wallet: Wallet, first: Reply): Promise<Reply> {
  const rule = 'faucet.claim.again'
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: ({ status }) => (status === 429 ? '429' : undefined),
    again: () => claim(target, wallet),
    witness: () => readTokens(target),
  })
  const evidence = [last.evidence()]
  if (isSuccess(last)) judge.pass(rule, `${last.status} after 16 minutes, ${explanation}`, evidence)
  else if (outcome === 'persistent') judge.fail(rule, `after 16 minutes ${explanation}`, evidence)
  else judge.inconclusive(rule, `429 after 16 minutes, then: ${explanation}`, evidence)
  return last
}

function claimants(target: Target): Wallet[] {
  const { path, address } = target.profile.choices.faucet
  requireChoice(path, 'the path of the faucet')
  requireChoice(address, 'how the faucet names the address')
  const one = walletFor(target, 'faucet')
  const other = secondWallet(target)
  return other && other.address !== one.address ? [one, other] : [one]
}

function secondWallet(target: Target): Wallet | undefined {
  try {
    return walletFor(target, 'faucetOther')
  } catch (error) {
    if (error instanceof CannotProbe) return undefined
    throw error
  }
}

/** Two claims at once for the first address: the other's may then leave the faucet alone. */
async function claimEach(target: Target, judge: Judge, wallets: readonly Wallet[]): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const wallet of wallets) {
    const { address } = wallet
    const sentMs = await nowMs(target)
    const accepted =
      claims.length === 0 && wallets.length > 1
        ? await withPost(target, wallet, (post) => claimAtOnce(judge, { address, claim: () => post(wallet) }))
        : undefined
    claims.push({ wallet, reply: accepted ?? (await claimOrError(target, wallet)), sentMs })
  }
  const shut = claims.find(({ reply }) => NOT_OPEN.includes(reply.status))
  if (shut) throw new CannotJudge(`the faucet is not open to this wallet: ${shut.reply.evidence()}`)
  return claims
}

/** Statuses of a faucet that is elsewhere or closed to the wallet: they say nothing about claims. */
const NOT_OPEN = [401, 403, 404, 405]

export async function claim(target: Target, wallet: Wallet): Promise<Reply> {
  const reply = await claimOrError(target, wallet)
  if (isError(reply)) throw new CannotJudge(`neither accepted nor rejected: ${reply.evidence()}`)
  return reply
}

/** Like `claim`, but also returns server errors, after which the outcome of the claim is unknown. */
async function claimOrError(target: Target, wallet: Wallet): Promise<Reply> {
  const reply = await withPost(target, wallet, (post) => post(wallet))
  if (!reply) throw new CannotJudge('the faucet was not called')
  return reply
}

type Post = (claimed: Pick<Wallet, 'address'>) => Promise<Reply>

/** In a session of the wallet, unless the faucet is public. */
async function withPost(
  target: Target,
  wallet: Wallet,
  use: (post: Post) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  if (target.profile.choices.faucet.access === 'public') return await use((claimed) => post(target, claimed))
  let reply: Reply | undefined
  await withSession(target, wallet, async (session) => {
    const credential = requireFullCredential(session)
    reply = await use((claimed) => post(target, claimed, credential))
  })
  return reply
}

async function post(
  target: Target,
  { address }: Pick<Wallet, 'address'>,
  credential?: Credential,
): Promise<Reply> {
  const { faucet } = target.profile.choices
  return await request(target, {
    method: 'POST',
    path: faucet.path ?? '',
    credential,
    body: { [faucet.address ?? '']: address },
    // Either the claim is rejected or any request is rate limited: the probe distinguishes them.
    provokes: [429],
    once: true,
  }).catch((error: unknown) => {
    if (error instanceof GaveUp && isError(error.reply)) return error.reply
    throw error
  })
}

import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { type Credential, isSuccess, type Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'faucet.claim.once'

/**
 * Sends two claims for an address at once and returns the accepted one. If both are, the rule fails, unless the responses are
 * equal: they may be those of one claim. Undefined if neither is, as a faucet may reject two claims that conflict.
 */
export async function claimAtOnce(
  judge: Judge,
  { address, claim }: { address: string; claim: () => Promise<Reply> },
): Promise<Reply | undefined> {
  const replies = await Promise.all([claim(), claim()])
  const accepted = replies.filter(isSuccess)
  const isTwice = accepted.length === 2 && accepted[0]?.text !== accepted[1]?.text
  if (isTwice && accepted.every((reply) => namesAddress(reply, address)))
    judge.fail(
      RULE,
      'two claims at the same time are accepted',
      accepted.map((reply) => reply.evidence()),
    )
  return accepted[0]
}

/** Claims for the address of an accepted claim with a space after it, which must not be accepted for that address. */
export async function judgeSpaced(
  judge: Judge,
  { address, claim }: { address: string; claim: (spaced: string) => Promise<Reply> },
): Promise<void> {
  const spaced = `${address} `
  const reply = await claim(spaced)
  if (isSuccess(reply) && namesAddress(reply, address) && !namesAddress(reply, spaced))
    judge.fail(RULE, `${reply.status} at once, with a space after the address`, [reply.evidence()])
}

function namesAddress({ text }: Pick<Reply, 'text'>, address: string): boolean {
  return text.toLowerCase().includes(address.toLowerCase())
}

/**
 * Claims in the session of a wallet that claims nothing for itself, for the address of an accepted claim: the limit is per
 * address. A faucet may reject claims for others, or ignore the address and send to the caller, which is another address.
 */
export async function judgeOtherCaller(
  target: Target,
  judge: Judge,
  options: {
    wallet: Wallet
    claimants: readonly Wallet[]
    claim: (wallet: Wallet, credential: Credential) => Promise<Reply>
  },
): Promise<void> {
  const { wallet, claimants, claim } = options
  if (target.profile.choices.faucet.access === 'public') return
  const caller = walletFor(target, 'reads')
  if (claimants.some(({ address }) => address === caller.address)) return
  await withSession(target, caller, async (session) => {
    const reply = await claim(wallet, requireFullCredential(session))
    if (isSuccess(reply) && isSentTo(reply, { address: wallet.address, caller: caller.address }))
      judge.fail(RULE, `${reply.status} at once, for another caller`, [reply.evidence()])
  })
}

/** The response names the address, and not the caller: the tokens went to the address. */
export function isSentTo(
  { text }: Pick<Reply, 'text'>,
  { address, caller }: { address: string; caller: string },
): boolean {
  const [shown, wanted, other] = [text, address, caller].map((one) => one.toLowerCase())
  return shown?.includes(wanted ?? '') === true && !shown.includes(other ?? '')
}

import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { type Credential, isSuccess, type Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'faucet.claim.once'

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

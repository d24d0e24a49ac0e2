import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { faucetBodySchema } from '../../../contract/schemas/chain.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { ChainNode } from '../../world/chain-node.ts'
import { Refusal } from '../errors/refusal.ts'
import { walletAddress } from '../input/wallet-address.ts'

type Options = { node: ChainNode; clock: Clock; choices: Choices; mutant: MutantName | null }

const INTERVAL_MS = LIMITS.faucetSeconds * 1000

/** The airdrop group. Who has claimed is known by the chain alone, with what waits for its next block. */
export const faucetRoutes: FastifyPluginAsyncZod<Options> = async (app, { node, clock, choices, mutant }) => {
  const { path, access, address: field } = choices.profile.faucet
  const { address: addressCodec, tokenId, timestamp } = choices.wire

  const refusedByMutant = createMutant({ mutant, clock })

  /** A claim that waits is mined now at the earliest; one that the chain has counts from its block. */
  const opensAtMs = (address: string): number => {
    const waits = node.pending().some((sent) => sent.kind === 'claimFaucet' && sent.recipient === address)
    if (waits) return clock.nowMs() + INTERVAL_MS
    return (node.state().faucet.lastClaimMs.get(address) ?? -Infinity) + INTERVAL_MS
  }

  app.post(
    path,
    {
      config: { access, errors: ['faucet_claimed', 'faucet_closed'] },
      schema: {
        description:
          'Sends three tokens to an address, as records: once in 15 minutes. `Retry-After` says how long to wait.',
        body: z.object({ [field]: walletAddress(choices) }),
        response: { 200: faucetBodySchema },
      },
    },
    (request) => {
      const recipient = request.body[field] as string // as: its only key, and required
      const { grants } = node.state().faucet
      if (!grants) throw new Refusal('faucet_closed')
      if (refusedByMutant(recipient)) throw new Refusal('invalid_request')
      const waitMs = waitMsOf(opensAtMs(recipient) - clock.nowMs(), mutant)
      if (waitMs > 0) {
        throw new Refusal('faucet_claimed', { retryAfterMs: waitMs })
      }
      const { credential } = request
      const sender = typeof credential === 'string' ? recipient : credential.address
      const txId = node.submit({ kind: 'claimFaucet', sender, recipient })
      return {
        data: {
          status: 'broadcast' as const,
          tx_id: txId,
          address: addressCodec.encode(recipient),
          grants: grants.map((grant) => ({
            token: tokenId.encode(grant.tokenId),
            amount: String(grant.amount),
          })),
          next_claim_at: timestamp(opensAtMs(recipient)),
        },
      }
    },
  )
}

function waitMsOf(waitMs: number, mutant: MutantName | null): number {
  if (mutant === 'faucet-unlimited') return 0
  return mutant === 'faucet-10-min' ? waitMs - INTERVAL_MS / 3 : waitMs
}

/** Whether a mutant refuses a claim that the faucet would take; those it lets pass count as taken. */
function createMutant({ mutant, clock }: Pick<Options, 'mutant' | 'clock'>): (recipient: string) => boolean {
  const takenMs = new Map<string, number>()
  const refusals: Partial<Record<MutantName, (recipient: string) => boolean>> = {
    'faucet-refuses': () => true,
    'faucet-30-min': (recipient) => agoMs(recipient) < 2 * INTERVAL_MS && agoMs(recipient) >= INTERVAL_MS,
    'faucet-one-for-all': (recipient) =>
      [...takenMs.keys()].some((other) => other !== recipient && agoMs(other) < INTERVAL_MS),
  }
  const agoMs = (address: string) => clock.nowMs() - (takenMs.get(address) ?? -Infinity)
  const refuses = mutant && refusals[mutant]
  if (!refuses) return () => false
  return (recipient) => {
    if (refuses(recipient)) return true
    if (agoMs(recipient) >= INTERVAL_MS) takenMs.set(recipient, clock.nowMs())
    return false
  }
}

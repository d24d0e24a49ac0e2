import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { faucetBodySchema } from '../../../contract/schemas/chain.ts'
import type { ChainNode } from '../../chain-node.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../refusal.ts'
import { walletAddress } from '../wallet-address.ts'

type Options = { node: ChainNode; clock: Clock; choices: Choices }

const INTERVAL_MS = LIMITS.faucetSeconds * 1000

/** The airdrop group. Who has claimed is known by the chain alone, with what waits for its next block. */
export const faucetRoutes: FastifyPluginAsyncZod<Options> = async (app, { node, clock, choices }) => {
  const { path, access, address: field } = choices.profile.faucet
  const { address: addressCodec, tokenId, timestamp, retryAfter } = choices.wire

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
      const waitMs = opensAtMs(recipient) - clock.nowMs()
      if (waitMs > 0) {
        throw new Refusal('faucet_claimed', {
          headers: { 'retry-after': retryAfter({ waitMs, nowMs: clock.nowMs() }) },
        })
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

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { faucetBodySchema, mintBodySchema } from '../../../contract/schemas/chain.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { StubLimits } from '../../stub-options.ts'
import type { ChainNode } from '../../world/chain-node.ts'
import { Refusal } from '../errors.ts'
import { amountSchema, walletAddress } from '../input.ts'

type Options = { node: ChainNode; clock: Clock; choices: Choices; limits: Pick<StubLimits, 'faucetSeconds'> }

/** The airdrop group. Claims are known from the chain, including transactions that wait for its next block. */
export const faucetRoutes: FastifyPluginAsyncZod<Options> = async (app, { node, clock, choices, limits }) => {
  const { path, access, address: field } = choices.profile.faucet
  const { address: addressCodec, tokenId, timestamp } = choices.wire

  const intervalMs = limits.faucetSeconds * 1000

  /** A waiting claim is mined now at the earliest; a mined one counts from its block. */
  const opensAtMs = (address: string): number => {
    const waits = node.pending().some((sent) => sent.kind === 'claimFaucet' && sent.recipient === address)
    if (waits) return clock.nowMs() + intervalMs
    return (node.state().faucet.lastClaimMs.get(address) ?? -Infinity) + intervalMs
  }

  app.post(
    path,
    {
      config: { access, errors: ['faucet_claimed', 'faucet_closed'] },
      schema: {
        description:
          'Sends three tokens to an address, as records: once in 15 minutes. `Retry-After` is the time to wait.',
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

type MintOptions = { views: Views; node: ChainNode; choices: Choices }

export const mintRoutes: FastifyPluginAsyncZod<MintOptions> = async (app, options) => {
  const { views, node, choices } = options
  const requestSchema = z.object({
    amm_token_program: z
      .string()
      .min(1)
      .max(choices.keyLengthMax)
      .meta({ description: 'The program of an existing wrapper token' }),
    amount: amountSchema(choices).meta({ description: 'Base units' }),
    recipient: walletAddress(choices),
  })

  app.post(
    '/tokens/mint',
    {
      config: { access: 'admin', errors: ['token_not_found'] },
      schema: {
        description: 'Mints a wrapper token to a recipient by broadcasting the transaction.',
        body: requestSchema,
        response: { 200: mintBodySchema },
      },
    },
    (request) => {
      const { amm_token_program: program, amount, recipient } = request.body
      const token = views.tokens().find(({ ammTokenProgram }) => ammTokenProgram === program)
      if (!token || token.underlyingProgram === null) {
        throw new Refusal('token_not_found', { detail: 'no wrapper token has this amm_token_program' })
      }
      const txId = node.submit({
        kind: 'mintToken',
        sender: node.administrator,
        tokenId: token.id,
        shares: [{ recipient, amount }],
      })
      return { data: { status: 'broadcast' as const, tx_id: txId } }
    },
  )
}

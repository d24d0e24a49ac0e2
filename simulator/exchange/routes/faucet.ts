import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { faucetBodySchema, mintBodySchema } from '../../../contract/schemas/chain.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { ChainNode } from '../../world/chain-node.ts'
import { Refusal } from '../errors.ts'
import { amountSchema, walletAddress } from '../input.ts'

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

type MintOptions = { views: Views; node: ChainNode; choices: Choices; mutant: MutantName | null }

export const mintRoutes: FastifyPluginAsyncZod<MintOptions> = async (app, options) => {
  const { views, node, choices, mutant } = options
  const amount = amountSchema(choices).meta({ description: 'Base units' })
  const requestSchema = z.object({
    amm_token_program: z
      .string()
      .min(1)
      .max(choices.keyLengthMax)
      .meta({ description: 'The program of a wrapper token that exists' }),
    amount: spelt(amount, mutant),
    recipient: walletAddress(choices),
  })

  app.post(
    '/tokens/mint',
    {
      config: { access: 'admin', errors: ['token_not_found'] },
      schema: {
        description: 'Mints a wrapper token to a recipient: broadcasts the transaction that does it.',
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

/** Mutants read amounts as a parser does that takes what it can read. */
function spelt(amount: ReturnType<typeof amountSchema>, mutant: MutantName | null) {
  const ignored =
    mutant === 'admin-mint-any-spelling'
      ? /^[^1-9]+|[^0-9]/g
      : mutant === 'admin-mint-comma'
        ? /,0+$/
        : undefined
  if (ignored === undefined) return amount
  return z.preprocess((text) => (typeof text === 'string' ? text.replace(ignored, '') : text), amount)
}

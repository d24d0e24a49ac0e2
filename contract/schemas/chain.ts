import { z } from 'zod'

/** `broadcast`: the transaction waits for the next block, which may still reject it. */
const status = z.literal('broadcast').meta({ description: 'The transaction waits for the next block' })
const txId = z.string().meta({ description: 'The id under which introspection finds it' })

export const mintBodySchema = z.object({ data: z.object({ status, tx_id: txId }) })

export const faucetBodySchema = z.object({
  data: z.object({
    status,
    tx_id: txId,
    address: z.string(),
    grants: z
      .array(z.object({ token: z.string(), amount: z.string() }))
      .length(3)
      .describe('What the address gets: token ids, and amounts in base units'),
    next_claim_at: z.string().describe('When the address may claim again, at the earliest'),
  }),
})

const eventSchema = z.looseObject({ type: z.string() }).meta({
  description: 'What happened; events that concern the holdings of single wallets show their type alone',
})

export const blockBodySchema = z.object({
  data: z.object({
    height: z.int().nonnegative(),
    hash: z.string(),
    parent_hash: z.string(),
    timestamp: z.string(),
    transactions: z.array(z.string()).describe('Ids, in order'),
  }),
})

export const transactionBodySchema = z.object({
  data: z.object({
    id: z.string(),
    status: z.enum(['pending', 'accepted', 'refused']),
    type: z.string(),
    sender: z.string().optional().describe('Omitted if it would show whose a position or an output is'),
    reason: z.string().optional().describe('Why the chain refused it'),
    block: z.int().nonnegative().optional(),
    block_hash: z.string().optional(),
    index: z.int().nonnegative().optional().describe('Its place in the block'),
    timestamp: z.string().optional().describe('When its block was mined'),
    events: z.array(eventSchema),
  }),
})

export const programBodySchema = z.object({
  data: z.object({
    id: z.string(),
    mappings: z.array(
      z.object({
        name: z.string(),
        key: z.string().describe('What its keys are'),
        size: z.int().nonnegative(),
      }),
    ),
  }),
})

export const mappingBodySchema = z.object({
  data: z.object({
    program: z.string(),
    mapping: z.string(),
    key: z.string(),
    value: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    block: z.int().nonnegative().describe('The height as of which it is read'),
  }),
})

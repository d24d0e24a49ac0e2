import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  blockBodySchema,
  mappingBodySchema,
  programBodySchema,
  transactionBodySchema,
} from '../../../contract/schemas/chain.ts'
import type { Choices } from '../../choices/choices.ts'
import { PROGRAMS, transactionRecord } from '../../trading/chain-records.ts'
import { BLOCKS_KEPT, type ChainNode } from '../../world/chain-node.ts'
import { Refusal } from '../errors.ts'
import { textSchema } from '../input.ts'

type Options = { node: ChainNode; choices: Choices }

/** Reads of the chain itself, ahead of the index: blocks, transactions, program state. */
export const debugRoutes: FastifyPluginAsyncZod<Options> = async (app, { node, choices }) => {
  const { wire } = choices
  const { prefix, access } = choices.debug
  const key = (description: string) => textSchema({ max: choices.keyLengthMax }).describe(description)

  app.get(
    `${prefix}/block/:block`,
    {
      config: { access, errors: ['invalid_request', 'block_not_found'] },
      schema: {
        description: `A block of the chain, by height or hash; the newest ${BLOCKS_KEPT} are kept.`,
        params: z.object({ block: blockNameSchema }),
        response: { 200: blockBodySchema },
      },
    },
    (request) => {
      const block = node.block(blockNamed(request.params.block, node))
      if (!block) throw new Refusal('block_not_found')
      const { height, hash, parentHash, timeMs, receipts } = block
      return {
        data: {
          height,
          hash,
          parent_hash: parentHash,
          timestamp: wire.timestamp(timeMs),
          transactions: receipts.map(({ id }) => id),
        },
      }
    },
  )

  app.get(
    `${prefix}/transaction/:id`,
    {
      config: { access, errors: ['invalid_request', 'transaction_not_found'] },
      schema: {
        description: `A transaction that waits for the next block, or is in one of the newest ${BLOCKS_KEPT} holds.`,
        params: z.object({ id: key('The id of a transaction') }),
        response: { 200: transactionBodySchema },
      },
    },
    (request) => {
      const found = node.transaction(request.params.id)
      if (!found) throw new Refusal('transaction_not_found')
      return { data: transactionRecord(found, wire) }
    },
  )

  app.get(
    `${prefix}/program/:id`,
    {
      config: { access, errors: ['invalid_request', 'program_not_found'] },
      schema: {
        description: `A program and its mappings. Programs: ${Object.keys(PROGRAMS).join(', ')}.`,
        params: z.object({ id: programIdSchema }),
        response: { 200: programBodySchema },
      },
    },
    (request) => {
      const { id } = request.params
      const mappings = Object.entries(listMappings(id)).map(([name, { key, size }]) => ({
        name,
        key,
        size: size(node.state()),
      }))
      return { data: { id, mappings } }
    },
  )

  app.get(
    `${prefix}/program/:id/mapping/:mapping/:key`,
    {
      config: { access, errors: ['invalid_request', 'program_not_found', 'mapping_not_found'] },
      schema: {
        description: 'The value of a key in a program’s mapping, as of the newest block.',
        params: z.object({
          id: programIdSchema,
          mapping: nameSchema.describe('The name of a mapping'),
          key: key('A key'),
        }),
        response: { 200: mappingBodySchema },
      },
    },
    (request) => {
      const { id, mapping, key } = request.params
      const mappings = listMappings(id)
      const found = Object.hasOwn(mappings, mapping) ? mappings[mapping] : undefined
      const value = found?.read(node.state(), key, wire)
      if (!value) throw new Refusal('mapping_not_found')
      return { data: { program: id, mapping, key, value: { ...value }, block: node.state().height } }
    },
  )
}

function listMappings(program: string) {
  const mappings = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
  if (!mappings) throw new Refusal('program_not_found')
  return mappings
}

/** Names of programs and mappings: short enough for an HTTP path. */
const nameSchema = textSchema({ max: 64 })
const programIdSchema = nameSchema.describe('The id of a program')

const blockNameSchema = z
  .string()
  .regex(/^(latest|0|[1-9][0-9]{0,39}|[0-9a-f]{64})$/, 'expected latest, a height in plain digits, or a hash')
  .describe('`latest`, a height or a hash')

function blockNamed(name: string, node: ChainNode): number | string {
  if (name === 'latest') return node.state().height
  return name.length === 64 ? name : Number(name)
}

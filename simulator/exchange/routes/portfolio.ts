import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  balanceBodySchema,
  balancesPageSchema,
  positionBodySchema,
  positionsPageSchema,
  unclaimedBodySchema,
} from '../../../contract/schemas/portfolio.ts'
import type { Choices } from '../../choices/choices.ts'
import { requireCredential } from '../access/access.ts'
import { Refusal } from '../errors.ts'
import { pageSchema, textSchema } from '../input.ts'
import { balanceRecord, owedPositionRecord, pendingSwapRecord, positionRecord } from '../records/records.ts'

type Options = { choices: Choices }

/** The caller's assets, private or not; never another wallet's. */
export const portfolioRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const { keyLengthMax, wire, profile } = choices
  const config = { access: 'cred' } as const
  const idParams = (what: string) =>
    z.object({ token_id: textSchema({ max: keyLengthMax }).describe(`The id of a ${what}`) })
  const observedBlock = ({ views }: FastifyRequest) => views.head().height

  app.get(
    profile.positionsPath,
    {
      config,
      schema: {
        description: 'Open positions of the caller.',
        querystring: pageSchema(choices),
        response: { 200: positionsPageSchema },
      },
    },
    (request) => {
      const { limit, offset } = request.query
      const { address } = requireCredential(request)
      const { rows, total } = request.views.positions({ address, viewer: address, limit, offset })
      return {
        data: rows.map((position) => positionRecord(position, choices)),
        pagination: { total, limit, offset },
        observed_block: observedBlock(request),
      }
    },
  )

  app.get(
    `${profile.positionsPath}/:token_id`,
    {
      config: { access: 'cred', errors: ['invalid_request', 'position_not_found'] },
      schema: {
        description: 'An open position of the caller.',
        params: idParams('position'),
        response: { 200: positionBodySchema },
      },
    },
    (request) => {
      const { address } = requireCredential(request)
      const id = wire.tokenId.decode(request.params.token_id) ?? ''
      const position = request.views.position({ address, id })
      if (!position) throw new Refusal('position_not_found')
      return { data: { ...positionRecord(position, choices), observed_block: observedBlock(request) } }
    },
  )

  app.get(
    profile.balancesPath,
    {
      config,
      schema: {
        description: 'Balances of the caller.',
        querystring: pageSchema(choices),
        response: { 200: balancesPageSchema },
      },
    },
    (request) => {
      const { limit, offset } = request.query
      const balances = request.views.balances(requireCredential(request).address)
      return {
        data: balances.slice(offset, offset + limit).map((balance) => balanceRecord(balance, choices)),
        pagination: { total: balances.length, limit, offset },
        observed_block: observedBlock(request),
      }
    },
  )

  app.get(
    `${profile.balancesPath}/:token_id`,
    {
      config: { access: 'cred', errors: ['invalid_request', 'token_not_found'] },
      schema: {
        description: 'The caller’s balance of a token: 0 for one that it never held.',
        params: idParams('token'),
        response: { 200: balanceBodySchema },
      },
    },
    (request) => {
      const { address } = requireCredential(request)
      const token = request.views.token(wire.tokenId.decode(request.params.token_id) ?? '')
      if (!token) throw new Refusal('token_not_found')
      const held = request.views.balances(address).find((balance) => balance.token.id === token.id)
      const record = balanceRecord(held ?? { token, balance: 0n }, choices)
      return { data: { ...record, observed_block: observedBlock(request) } }
    },
  )

  app.get(
    '/unclaimed',
    {
      config,
      schema: {
        description: 'Unclaimed swap outputs of the caller, and the tokens owed to its positions.',
        response: { 200: unclaimedBodySchema },
      },
    },
    (request) => {
      const { address } = requireCredential(request)
      const { pendingSwaps, positionsWithOwed } = request.views.unclaimed({ address, viewer: address })
      return {
        data: {
          pending_swaps: pendingSwaps.map((swap) => pendingSwapRecord(swap, choices)),
          positions_with_owed: positionsWithOwed.map((position) => owedPositionRecord(position, choices)),
        },
      }
    },
  )
}

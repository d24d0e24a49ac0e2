import { expect, it } from 'vitest'
import { feeTiersBodySchema, tradingSchemaBodySchema } from '../../../contract/schemas/protocol.ts'
import { tradingOperations } from '../../trading/trading-schema.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-world.ts'

it('/fee-tiers are the chain’s, oldest first', async () => {
  const { world } = watchedWorld(2)
  world.changeConfig({ scope: 'fee_tiers', key: '100/1' })
  world.mine()
  const bed = await createTestBed({ world })
  const body = (await bed.call('/fee-tiers', bed.bearer())).json()
  expect(feeTiersBodySchema.parse(body)).toEqual(body)
  const { feeTiers } = world.state().chain.configuration
  expect(body.data.map(({ id: _, ...row }: { id: string }) => row)).toEqual(
    feeTiers.map(({ feePips, tickSpacing, createdAtMs, transaction }) => ({
      fee_tier: feePips,
      tick_spacing: tickSpacing,
      created_at: new Date(createdAtMs).toISOString(),
      transaction,
    })),
  )
  expect(body.data.at(-1)).toMatchObject({ id: 'tier-100', fee_tier: 100, tick_spacing: 1 })
})

it('/schema/trading has every operation, with its follow-ups', async () => {
  const bed = await createTestBed()
  const body = (await bed.call('/schema/trading', bed.bearer())).json()
  expect(tradingSchemaBodySchema.parse(body)).toEqual(body)
  expect(body.data.map((row: { function: string }) => row.function)).toEqual(
    tradingOperations().map((operation) => operation.function),
  )
  const byFunction = new Map<string, object>(
    body.data.map((row: { function: string }) => [row.function, row]),
  )
  expect(byFunction.get('swap')).toMatchObject({
    id: 'exchange.program/swap',
    program: 'exchange.program',
    visibility: 'caller',
    follow_up: ['claim'],
    inputs: [
      { name: 'recipient', type: 'address', visibility: 'caller' },
      { name: 'tokenIn', type: 'field', visibility: 'public' },
      { name: 'pools', type: '[field]' },
      { name: 'amountIn', type: 'u128' },
      { name: 'amountOutMin', type: 'u128' },
      { name: 'isPrivate', type: 'boolean' },
    ],
  })
  expect(byFunction.get('claim')).not.toHaveProperty('follow_up')
  expect(byFunction.get('mintToken')).toMatchObject({
    inputs: [
      { name: 'tokenId' },
      { name: 'shares', type: '[Share]', fields: [{ name: 'recipient' }, { name: 'amount', type: 'u128' }] },
    ],
  })
})

import { expect, test } from 'vitest'
import { tokenBySymbol } from '../../exchange/test-world.ts'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('quotes as of the revision before for a while after each change', async () => {
  const { ask, bed, world } = await createFaultyExchange([{ fault: 'stale-route', staleMs: 5000 }])
  const [from, to] = ['USDC', 'T1'].map((symbol) => tokenBySymbol(world.views, symbol).id)
  const quoted = async (): Promise<number> => {
    const answer = await ask(`/route?token_in=${from}&token_out=${to}&amount_in=1000`, bed.bearer())
    return answer.json().data.protocol_revision
  }
  const change = () => {
    world.changeConfig({ scope: 'fee_tiers', key: 'x' })
    world.mine(1)
    return world.views.protocolState().revision
  }
  const first = world.views.protocolState().revision
  expect(await quoted()).toBe(first)
  const second = change()
  expect([second > first, await quoted()]).toEqual([true, first])
  world.clock.advance(4999)
  expect(await quoted()).toBe(first)
  world.clock.advance(1)
  expect(await quoted()).toBe(second)
  change()
  expect(await quoted()).toBe(second)
})

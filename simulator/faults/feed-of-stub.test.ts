// A whole stub whose world moves back, or which shuts down, while faults are active.
import { expect, onTestFinished, test } from 'vitest'
import { connectFeed } from '../gateway/test-client.ts'
import { startStub } from '../stub.ts'
import { faultPlanSchema } from './fault-plan.ts'

const ROOM = 'protocol_config'

async function faultyStub(...faults: object[]) {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    faults: faultPlanSchema.parse({ description: 'of a test', faults }),
  })
  onTestFinished(() => stub.close())
  const { baseUrl, wsUrl } = stub.profile
  const client = await connectFeed(`${wsUrl}/ws`)
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const response = await fetch(`${baseUrl}/auth/ws-ticket`, { headers })
  const { data } = (await response.json()) as { data: { ticket: string } } // as: the default set's
  client.send({ action: 'authenticate', token: data.ticket })
  client.send({ action: 'subscribe', room: ROOM })
  await client.synchronize()
  return { stub, world: stub.world, client }
}

test('a fault keeps its remaining time', async () => {
  const { world, client } = await faultyStub({ fault: 'ws-close', when: { afterMs: 10_000 } })
  const snapshot = world.snapshot()
  world.advance(7000)
  world.revert(snapshot)
  world.advance(2999)
  expect((await client.synchronize()).map(({ control }) => control)).toEqual(['resync_required'])
  world.advance(1)
  expect((await client.closed).code).toBe(1012)
})

test('delayed events of a reverted world are never sent', async () => {
  const rooms = [ROOM]
  const { world, client } = await faultyStub({ fault: 'ws-delay', where: { rooms }, delayMs: 10_000 })
  const snapshot = world.snapshot()
  world.changeConfig({ scope: 'pause', key: 'global' })
  world.mine()
  world.revert(snapshot)
  world.advance(20_000)
  expect((await client.synchronize()).map(({ control }) => control)).toEqual(['resync_required'])
  world.changeConfig({ scope: 'pause', key: 'global' })
  world.mine()
  world.advance(10_000)
  expect(await client.synchronize()).toMatchObject([{ type: 'ProtocolConfigChanged' }])
})

test('when the stub shuts down, delayed frames are sent, followed by a close frame', async () => {
  const { stub, world, client } = await faultyStub({ fault: 'ws-slow-consumer', when: { afterMs: 1000 } })
  world.advance(1000)
  world.changeConfig({ scope: 'pause', key: 'global' })
  world.mine()
  await stub.close()
  expect(await client.next('ProtocolConfigChanged')).toBeTruthy()
  expect((await client.closed).code).toBe(1012)
})

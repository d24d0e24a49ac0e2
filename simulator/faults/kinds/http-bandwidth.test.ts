import { expect, test } from 'vitest'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

test('sends the body a piece at a time over a real socket', async () => {
  const { ask, askRaw, world, active } = await createFaultyExchange([
    { fault: 'http-bandwidth', bytesPerSecond: 1000 },
  ])
  const { received } = await askRaw('GET /protocol/state')
  const head = await received('\r\n\r\n')
  expect(head.split('\r\n\r\n')[1]).toBe('')
  active.clear()
  const { body } = await ask('/protocol/state')
  expect(head).toContain(`content-length: ${body.length}\r\n`)
  world.clock.advance(100)
  expect(await received(body.slice(0, 100))).not.toContain(body.slice(0, 101))
  for (let sent = 100; sent < body.length; sent += 100) {
    world.clock.advance(100)
    await eventLoopTurns()
  }
  await received(body)
})

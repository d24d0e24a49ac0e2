import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test.each([0, 40, 99])(
  'sends %i percent of the body over a real socket, and ends it',
  async (keepPercent) => {
    const { ask, askRaw, active } = await createFaultyExchange([{ fault: 'http-truncated', keepPercent }])
    const cut = String(await (await askRaw('GET /protocol/state')).ended)
    active.clear()
    const { body } = await ask('/protocol/state')
    expect(cut).toContain(`content-length: ${body.length}\r\n`)
    expect(cut.split('\r\n\r\n')[1]).toBe(body.slice(0, Math.floor((body.length * keepPercent) / 100)))
  },
)

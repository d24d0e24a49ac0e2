import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test.each([
  { at: 'request', done: 0 },
  { at: 'answer', done: 1 },
])('cuts a real socket at the $at', async ({ at, done }) => {
  const { askRaw, bed } = await createFaultyExchange([{ fault: 'http-reset', at }])
  const { socket, ended } = await askRaw('GET /protocol/state')
  const [error] = await once(socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  expect(String(await ended)).toBe('')
  // What was done has a line in the log.
  expect(bed.logLines).toHaveLength(done)
})

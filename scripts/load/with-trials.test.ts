import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { createRecoveryCheck } from './with-trials.ts'

const WAIT = { secondsMax: 60, signal: new AbortController().signal }

test('waits until the target responds as fast as at first', async () => {
  const { profile, held } = await target()
  const calm = await createRecoveryCheck({ profile, ca: null })
  expect(calm.requests()).toBe(3)
  // The next three responses are half a second late.
  held.push(500, 500, 500)
  await calm.wait(WAIT)
  expect(held).toEqual([])
  expect(calm.requests()).toBeGreaterThanOrEqual(3 + 3 + 2)
})

test('stops waiting at Ctrl-C or after the time limit', async () => {
  const { profile } = await target()
  const calm = await createRecoveryCheck({ profile, ca: null })
  await calm.wait({ ...WAIT, signal: AbortSignal.abort() })
  await calm.wait({ ...WAIT, secondsMax: 0 })
  expect(calm.requests()).toBe(3)
})

test('a target that is gone or disconnects is not an error', async () => {
  const profile = profileSchema.parse({ name: 't', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' })
  const calm = await createRecoveryCheck({ profile, ca: null })
  await calm.wait(WAIT)
  expect(calm.requests()).toBe(5)
})

/** Responds at once, or with the queued delays in milliseconds. */
async function target() {
  const held: number[] = []
  const server = createServer((_request, response: ServerResponse) => {
    setTimeout(() => response.end('{}'), held.shift() ?? 0)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const baseUrl = `http://127.0.0.1:${port}`
  return { profile: profileSchema.parse({ name: 't', baseUrl, wsUrl: 'ws://127.0.0.1:1' }), held }
}

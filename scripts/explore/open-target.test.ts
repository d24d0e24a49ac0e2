import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { createWire } from './open-target.ts'

test('passes the wait that a 429 requires, then repeats the request', async () => {
  let limited = 1
  const server = createServer((_, response) => {
    response.writeHead(limited-- > 0 ? 429 : 200, { 'retry-after': '7' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  const profile = profileSchema.parse({
    name: 'x',
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
  })
  const waited: number[] = []
  const wire = createWire(profile, null, async (ms) => void waited.push(ms))
  onTestFinished(() => wire.close())
  expect(await wire.request({ method: 'GET', path: '/tokens' })).toMatchObject({ status: 200 })
  expect(waited).toEqual([7000])
})

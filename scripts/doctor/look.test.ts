import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { lookAtTarget } from './look.ts'

test('metrics get the headers of the profile from the exchange and from no other host, as in a run', async () => {
  const own = await serveWithKey()
  const other = await serveWithKey()
  const look = async (metrics: string) => {
    const profile = profileSchema.parse({
      name: 'x',
      baseUrl: own,
      wsUrl: own.replace('http', 'ws'),
      metrics: `${metrics}/metrics`,
      headers: { 'X-Key': 'hush' },
    })
    return (await lookAtTarget({ path: '/p.json', file: 'p.json', profile }, {})).metrics
  }
  expect(await look(own)).toMatchObject({ value: { status: 200 } })
  expect(await look(other)).toMatchObject({ value: { status: 401 } })
})

async function serveWithKey(): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(headers['x-key'] === 'hush' ? 200 : 401).end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on a port
}

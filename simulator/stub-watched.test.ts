import { once } from 'node:events'
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { errorBodySchema } from '../contract/schemas/wire.ts'
import { connectFeed } from './gateway/test-client.ts'
import { authenticatedFeed, control, start } from './test-started-stub.ts'

test('the journal has each request by the ref of its error body, and each socket', async () => {
  const stub = await start()
  const { ref } = z
    .object({ ref: z.string() })
    .parse(await (await fetch(`${stub.profile.baseUrl}/pools/none?secret=x`)).json())
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  await control(stub, '/sockets/close', { id: 1, code: 1001 })
  await feed.closed
  const authorization = `Bearer ${stub.controlToken}`
  const { entries } = z
    .object({ entries: z.array(z.unknown()) })
    .parse(await (await fetch(`${stub.profile.control}/journal`, { headers: { authorization } })).json())
  const request = {
    kind: 'request',
    method: 'GET',
    route: '/pools/:key',
    status: 404,
    code: 'pool_not_found',
  }
  expect(entries).toMatchObject([
    { ...request, ref, client: '127.0.0.1 node' },
    { kind: 'socket', socket: 1, event: 'opened' },
    { kind: 'socket', socket: 1, event: 'ending', closeCode: 1001 },
    { kind: 'control', route: '/sockets/close', status: 200 },
    { kind: 'socket', socket: 1, event: 'closed', closeCode: 1001, by: 'exchange' },
  ])
  expect(entries).toHaveLength(5)
})

test.runIf(process.platform === 'linux')(
  'keeps the control API on 127.0.0.1, whatever the host',
  async () => {
    const { profile } = await start({ host: '0.0.0.0' })
    const at = (url: string | null) => (url ?? '').replace('127.0.0.1', '127.0.0.2')
    expect((await fetch(at(`${profile.baseUrl}/health`))).status).toBe(200)
    await expect(fetch(at(`${profile.control}/status`))).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    })
  },
)

test('metrics count the sockets and events of the feed', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'protocol_config' })
  await feed.synchronize()
  await control(stub, '/revision', { scope: 'fee_tiers', key: '3000' })
  await feed.next('ProtocolConfigChanged')
  const text = await (await fetch(`${stub.profile.baseUrl}/metrics`)).text()
  for (const [name, value] of [
    ['feed_sockets', 1],
    ['feed_rooms', 1],
    ['feed_events_sent_total', 1],
    ['feed_events_dropped_total', 0],
    ['chain_height', stub.world.views.head().height],
  ])
    expect(text).toContain(`breakwater_${name} ${value}\n`)
})

test('the ref of an error finds its request in the log, and only that one', async () => {
  const lines: string[] = []
  const stub = await start({ log: (line) => lines.push(line) })
  const fetchError = async (path: string) => {
    const response = await fetch(`${stub.profile.baseUrl}${path}`)
    return errorBodySchema.parse(await response.json())
  }
  const refusals = [
    await fetchError('/swaps'),
    await fetchError('/nowhere'),
    await fetchError('/pools?limit=0'),
  ]
  const found = refusals.map(({ ref }) => lines.filter((line) => line.includes(`"ref":"${ref}"`)))
  expect(found.map(({ length }) => length)).toEqual([1, 1, 1])
  expect(found.flat().map((line) => JSON.parse(line))).toMatchObject([
    { method: 'GET', route: '/swaps', status: 401, code: 'credentials_missing' },
    { method: 'GET', route: null, status: 404, code: 'not_found' },
    { method: 'GET', route: '/pools', status: 400, code: 'invalid_request' },
  ])
})

test('is not ready while it closes, and serves until its sockets have ended', async () => {
  const stub = await start()
  const ready = async () => {
    const response = await fetch(`${stub.profile.baseUrl}/ready`)
    return {
      status: response.status,
      code: z.object({ code: z.string().optional() }).parse(await response.json()).code,
    }
  }
  expect(await ready()).toEqual({ status: 200, code: undefined })
  const silent = await upgradeSilently(`${stub.profile.wsUrl}/ws`)
  const closed = stub.close()
  expect(await ready()).toEqual({ status: 503, code: 'not_ready' })
  silent.destroy()
  await closed
  await expect(ready()).rejects.toThrow()
})

/** A socket that never responds, not even to a close frame. */
async function upgradeSilently(url: string): Promise<Duplex> {
  const upgrade = request(url.replace('ws:', 'http:'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    },
  }).end()
  const [, stream] = await once(upgrade, 'upgrade')
  return stream.on('error', () => {})
}

import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../clock.ts'
import { startStub } from '../../stub.ts'
import { serveInTurn } from './serve-in-turn.ts'

const PATIENCE = { timeout: 20_000 }

async function open() {
  const clock = createClock({ startMs: 0 })
  const app = fastify()
  const queue = serveInTurn(app, { perSecond: 10, time: clock })
  const served: string[] = []
  app.get('/:name', async (request) => {
    served.push((request.params as { name: string }).name) // as: the route has that one
    return 'served'
  })
  app.get('/watched/:name', { config: { rateLimit: false } }, async () => 'watched')
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` // as: it listens on a port
  /** Resolves as it stands in the queue, which it does behind those before it. */
  const ask = async (name: string) => {
    const length = queue.length()
    const request = get(`${address}/${name}`, { agent: false }).on('error', () => {})
    const answered = once(request, 'response').then(([response]) => response.resume().statusCode)
    answered.catch(() => {})
    await expect.poll(queue.length, PATIENCE).toBe(length + 1)
    return { request, answered }
  }
  return { clock, queue, served, ask, address }
}

test('requests are answered in turn, paths that are unknown too', async () => {
  const { clock, served, ask } = await open()
  const asked = [await ask('a'), await ask('b'), await ask('no/such'), await ask('c')]
  expect(served).toEqual([])
  clock.advance(100)
  expect(served).toEqual(['a'])
  expect(await asked[0]?.answered).toBe(200)
  clock.advance(300)
  expect(served).toEqual(['a', 'b', 'c'])
  expect(await Promise.all(asked.map(({ answered }) => answered))).toEqual([200, 200, 404, 200])
})

test('what an operator watches it by waits for nobody', async () => {
  const { ask, address } = await open()
  await ask('a')
  expect(await (await fetch(`${address}/watched/b`)).text()).toBe('watched')
})

test('a client that goes leaves the queue, and costs those behind it nothing', async () => {
  const { clock, queue, served, ask } = await open()
  await ask('a')
  const gone = await ask('gone')
  const last = await ask('last')
  gone.request.destroy()
  await expect.poll(queue.length, PATIENCE).toBe(2)
  clock.advance(200)
  expect(served).toEqual(['a', 'last'])
  expect(await last.answered).toBe(200)
})

test('of a stub: the queue stands ahead of the rate limit, is told by /metrics, and does not hold up its end', async () => {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    // Nobody's turn comes while the test runs.
    serviceRate: 1 / 3600,
    rateLimit: { burst: 1, perSecond: 0.001, per: 'address' },
  })
  const { baseUrl, metrics } = stub.profile
  const waiting = Array.from({ length: 3 }, () => fetch(`${baseUrl}/fee-tiers`).catch(() => 'cut'))
  const told = async () => (await (await fetch(metrics ?? '')).text()).match(/^breakwater_service_queue.*/gm)
  await expect
    .poll(told, PATIENCE)
    .toEqual(['breakwater_service_queue_requests 3', 'breakwater_service_queue_requests_max 3'])
  await stub.close()
  expect(await Promise.all(waiting)).toEqual(['cut', 'cut', 'cut'])
})

import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClock } from './clock.ts'
import { createServiceQueue, serveInTurn, type Waiting } from './service-queue.ts'
import { startStub } from './stub.ts'

function open(perSecond: number, servicesMs?: number[]) {
  const clock = createClock({ startMs: 0 })
  const serviceMs = servicesMs && (() => servicesMs.shift() ?? 0)
  const queue = createServiceQueue({ perSecond, time: clock, serviceMs })
  const served: [name: string, atMs: number][] = []
  const enter = (name: string): Waiting => queue.enter(() => served.push([name, clock.nowMs()]))
  return { clock, queue, served, enter }
}

test('serves one after another, at equal intervals, in order of arrival', () => {
  const { clock, served, enter } = open(100)
  for (const name of ['a', 'b', 'c']) enter(name)
  clock.advance(25)
  enter('d')
  clock.advance(100)
  enter('e')
  clock.advance(100)
  expect(served).toEqual([
    ['a', 10],
    ['b', 20],
    ['c', 30],
    ['d', 40],
    ['e', 135],
  ])
})

test('service times can differ', () => {
  const { clock, served, enter } = open(100, [5, 30, 1])
  for (const name of ['a', 'b', 'c']) enter(name)
  clock.advance(100)
  expect(served).toEqual([
    ['a', 5],
    ['b', 35],
    ['c', 36],
  ])
})

test('late timers cost no service', () => {
  let nowMs = 0
  const timers: (() => void)[] = []
  const time = {
    nowMs: () => nowMs,
    after: (delayMs: number, fn: () => void) => {
      timers.push(() => {
        nowMs += delayMs + 7
        fn()
      })
      return { cancel() {} }
    },
  }
  const queue = createServiceQueue({ perSecond: 400, time })
  let count = 0
  for (let index = 0; index < 5000; index++) queue.enter(() => count++)
  while (nowMs < 10_000) timers.shift()?.()
  // 10 s at 400/s, plus the requests due within one timer's lateness.
  expect(count).toBeGreaterThanOrEqual(4000)
  expect(count).toBe(Math.floor(nowMs * 0.4))
})

test('a request that leaves takes no service, and later ones move up', () => {
  const { clock, queue, served, enter } = open(100)
  enter('a')
  const waiting = ['b', 'c', 'd'].map(enter)
  waiting[0]?.leave()
  waiting[1]?.leave()
  waiting[1]?.leave()
  expect(queue.length()).toBe(2)
  clock.advance(1000)
  waiting[2]?.leave()
  expect(served).toEqual([
    ['a', 10],
    ['d', 20],
  ])
  expect(queue.length()).toBe(0)
})

test('reports its length, and the maximum since the last call', () => {
  const { clock, queue, enter } = open(100)
  for (const name of ['a', 'b', 'c']) enter(name)
  clock.advance(20)
  expect([queue.length(), queue.takeLengthMax(), queue.takeLengthMax()]).toEqual([1, 3, 1])
  clock.advance(10)
  expect([queue.takeLengthMax(), queue.takeLengthMax()]).toEqual([1, 0])
})

test('a request that enters while another is served waits a turn like all', () => {
  const { clock, queue, served, enter } = open(100)
  queue.enter(() => enter('b'))
  enter('a')
  clock.advance(1000)
  expect(served).toEqual([
    ['a', 20],
    ['b', 30],
  ])
})

test('serves no one after close', () => {
  const { clock, queue, served, enter } = open(100)
  enter('a')
  queue.close()
  clock.advance(1000)
  expect(served).toEqual([])
})

test('for any arrivals and departures: in order, each once, never above its rate, never idle while a request waits', () => {
  const step = fc.record({ afterMs: fc.nat(15), leaves: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(50, 100, 250), (steps, perSecond) => {
      const { clock, queue, served, enter } = open(perSecond)
      const gone = new Set<string>()
      const arrivals = new Map<string, number>()
      for (const [index, { afterMs, leaves }] of steps.entries()) {
        clock.advance(afterMs)
        arrivals.set(String(index), clock.nowMs())
        const waiting = enter(String(index))
        if (leaves) {
          waiting.leave()
          gone.add(String(index))
        }
      }
      clock.advance(10_000)
      const stayed = [...arrivals].filter(([name]) => !gone.has(name))
      let freeAtMs = 0
      const expected = stayed.map(([name, atMs]) => {
        freeAtMs = Math.max(atMs, freeAtMs) + 1000 / perSecond
        return [name, freeAtMs]
      })
      expect(served).toEqual(expected)
      expect(queue.length()).toBe(0)
    }),
  )
})

describe('serve in turn', () => {
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
    /** Resolves once the request is in the queue, behind earlier ones. */
    const send = async (name: string) => {
      const length = queue.length()
      const request = get(`${address}/${name}`, { agent: false }).on('error', () => {})
      const responded = once(request, 'response').then(([response]) => response.resume().statusCode)
      responded.catch(() => {})
      await expect.poll(queue.length, PATIENCE).toBe(length + 1)
      return { request, responded }
    }
    return { clock, queue, served, send, address }
  }

  test('requests are served in turn, unknown paths too', async () => {
    const { clock, served, send } = await open()
    const waiting = [await send('a'), await send('b'), await send('no/such'), await send('c')]
    expect(served).toEqual([])
    clock.advance(100)
    expect(served).toEqual(['a'])
    expect(await waiting[0]?.responded).toBe(200)
    clock.advance(300)
    expect(served).toEqual(['a', 'b', 'c'])
    expect(await Promise.all(waiting.map(({ responded }) => responded))).toEqual([200, 200, 404, 200])
  })

  test('monitoring requests never wait', async () => {
    const { send, address } = await open()
    await send('a')
    expect(await (await fetch(`${address}/watched/b`)).text()).toBe('watched')
  })

  test('a client that disconnects leaves the queue, without cost for later ones', async () => {
    const { clock, queue, served, send } = await open()
    await send('a')
    const gone = await send('gone')
    const last = await send('last')
    gone.request.destroy()
    await expect.poll(queue.length, PATIENCE).toBe(2)
    clock.advance(200)
    expect(served).toEqual(['a', 'last'])
    expect(await last.responded).toBe(200)
  })

  test('in a stub, the queue is ahead of the rate limit, is in /metrics, and does not delay shutdown', async () => {
    const stub = await startStub({
      world: 'tiny',
      seed: 7,
      mutant: null,
      pace: 'manual',
      // Serves no request while the test runs.
      serviceRate: 1 / 3600,
      rateLimit: { burst: 1, perSecond: 0.001, per: 'address' },
    })
    const { baseUrl, metrics } = stub.profile
    const waiting = Array.from({ length: 3 }, () => fetch(`${baseUrl}/fee-tiers`).catch(() => 'cut'))
    const gauges = async () =>
      (await (await fetch(metrics ?? '')).text()).match(/^breakwater_service_queue.*/gm)
    await expect
      .poll(gauges, PATIENCE)
      .toEqual(['breakwater_service_queue_requests 3', 'breakwater_service_queue_requests_max 3'])
    await stub.close()
    expect(await Promise.all(waiting)).toEqual(['cut', 'cut', 'cut'])
  })
})

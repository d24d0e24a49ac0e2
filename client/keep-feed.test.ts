import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FeedOptions, keepFeed, type RefetchReason } from './keep-feed.ts'
import { testGateway } from './test-gateway.ts'
import { testTools } from './test-tools.ts'

const MINUTE_MS = 60_000

const afterError = (error: unknown) => (String(error).includes('403') ? 'stop' : 0)

/** A client in two rooms, with a log of its actions, in virtual time. */
function follow(options: Partial<FeedOptions> & { seed?: number; ticketsFromMs?: number } = {}) {
  const { seed = 7, ticketsFromMs = 0, ...more } = options
  const time = testTools({ seed })
  const gateway = testGateway(time.tools)
  gateway.refuses.ticketsUntilMs = ticketsFromMs
  const log: string[] = []
  const revisions: unknown[] = []
  const feed = keepFeed(
    {
      rooms: ['trades:a', 'pool_stats:a'],
      refetch: (reasons) => void log.push(...reasons),
      onAttempt: (outcome) => void log.push(outcome),
      ...more,
    },
    {
      openWire: gateway.openWire,
      takeTicket: gateway.takeTicket,
      onConfigChanged: ({ data }) => void revisions.push(Object(data).revision),
      afterError,
      tools: time.tools,
    },
  )
  return { ...time, gateway, log, feed, revisions }
}

test('stays on one socket for an hour, with tickets renewed in time', async () => {
  const { run, gateway, log, feed } = follow({ silenceMs: 24 * 60 * MINUTE_MS })
  await run(60 * MINUTE_MS)
  expect(log).toEqual(['served', 'connected'])
  expect(gateway.rooms()).toEqual([['pool_stats:a', 'trades:a']])
  expect(gateway.opened()).toHaveLength(1)
  expect(gateway.wrongs).toEqual([])
  expect(gateway.tickets()).toBeGreaterThan(89)
  expect(gateway.tickets()).toBeLessThan(121)
  void feed.close()
  await run()
  expect([gateway.rooms(), feed.isServed()]).toEqual([[], false])
})

test('after a restart: backoff, the rooms again, synchronize, and only then refetch', async () => {
  const { run, gateway, log } = follow({
    refetch: ([reason]) =>
      void log.push(
        `${reason} in ${gateway.rooms()[0]?.length} rooms, synchronized ${gateway.synchronized()}`,
      ),
  })
  await run(20_000)
  gateway.restart()
  await run(21_500)
  expect(log).toEqual([
    'served',
    'connected in 2 rooms, synchronized 1',
    'served',
    'reconnected in 2 rooms, synchronized 2',
  ])
  expect(gateway.rooms()).toEqual([['pool_stats:a', 'trades:a']])
})

test('backs off from a server that opens and closes at once', async () => {
  const { run, gateway, tools } = follow()
  const cut = () => {
    gateway.restart()
    tools.after(300, cut)
  }
  cut()
  await run(20 * MINUTE_MS)
  const { length } = gateway.opened()
  // Full jitter below a cap of 30 s averages one per 15 s.
  expect(length).toBeGreaterThan(50)
  expect(length).toBeLessThan(150)
})

test('spreads the reconnects of many clients over the backoff', async () => {
  const backAtMs = await Promise.all(
    Array.from({ length: 200 }, async (_, seed) => {
      const { run, gateway } = follow({ seed })
      await run(20_000)
      gateway.restart()
      await run(22_000)
      return (gateway.opened()[1] ?? 0) - 20_000
    }),
  )
  const inQuarter = (quarter: number) =>
    backAtMs.filter((ms) => ms >= 20 + quarter * 250 && ms < 20 + (quarter + 1) * 250).length
  for (const quarter of [0, 1, 2, 3]) expect(inQuarter(quarter)).toBeGreaterThan(30)
})

test('pings, abandons and replaces a silent socket', async () => {
  const { run, gateway, log } = follow()
  await run(10_000)
  gateway.mute()
  await run(40_000)
  expect(log).toEqual(['served', 'connected', 'served', 'reconnected'])
  expect(gateway.opened()).toHaveLength(2)
  expect(gateway.wrongs).toEqual([])
})

test('gives a slow synchronize more time with each attempt', async () => {
  const { run, gateway, log } = follow()
  gateway.delays.synchronizedMs = 15_000
  await run(2 * MINUTE_MS)
  expect(log).toEqual(expect.arrayContaining(['unresponsive', 'unresponsive', 'served', 'connected']))
  expect(log.filter((line) => line === 'unresponsive')).toHaveLength(2)
  expect(gateway.wrongs).toEqual([])
})

test('refetches in a quiet market and keeps the socket', async () => {
  const { run, gateway, log } = follow()
  await run(65_000)
  expect(log).toEqual(['served', 'connected', 'quiet'])
  expect(gateway.opened()).toHaveLength(1)
})

test('refetches after resync_required, and again, once, for all that come during it', async () => {
  const { tools, log, gateway, run } = follow({
    refetch: async (reasons) => {
      log.push(reasons.join(' '))
      await tools.pause(1000)
      log.push('done')
    },
  })
  await run(5000)
  for (let count = 0; count < 3; count++) gateway.send({ control: 'resync_required' })
  await run(10_000)
  expect(log).toEqual([
    'served',
    'connected',
    'done',
    'resync_required',
    'done',
    'resync_required resync_required',
    'done',
  ])
})

test('coalesces the refetches that events request', async () => {
  const { tools, log, gateway, run, feed } = follow({
    refetch: async (reasons) => {
      log.push(reasons.join(' '))
      await tools.pause(1000)
    },
    onEvent: () => feed.refetch(),
  })
  await run(5000)
  for (let count = 0; count < 3; count++) gateway.send({ type: 'Trade', data: {} })
  await run(10_000)
  expect(log).toEqual(['served', 'connected', 'requested', 'requested requested'])
})

test('repeats a failed refetch until it succeeds', async () => {
  let failures = 3
  const done: (readonly RefetchReason[])[] = []
  const { run } = follow({
    refetch: (reasons) => {
      if (failures-- > 0) throw new Error('after 4 tries: 503')
      done.push(reasons)
    },
  })
  await run(20_000)
  expect([done, failures]).toEqual([[['connected']], -1])
})

test('ignores unknown controls, unknown types and invalid JSON', async () => {
  const events: string[] = []
  const { run, gateway, revisions, log } = follow({ onEvent: ({ type }) => void events.push(type) })
  await run(5000)
  for (const message of [
    { control: 'maintenance' },
    { control: 7 },
    [],
    { type: 'Trade', data: {} },
    { type: 'ProtocolConfigChanged', data: { revision: '7' } },
    { type: 'ProtocolConfigChanged', data: {} },
  ])
    gateway.send(message)
  await run(6000)
  expect(events).toEqual(['Trade', 'ProtocolConfigChanged', 'ProtocolConfigChanged'])
  expect(revisions).toEqual(['7', undefined])
  expect(log).toEqual(['served', 'connected'])
})

test('joins and leaves rooms within the limits', async () => {
  const { run, gateway, feed, log } = follow({ rooms: [] })
  await run(5000)
  for (let round = 0; round < 20; round++) {
    for (let room = 0; room < 32; room++) feed.join(`trades:${round}-${room}`)
    expect(() => feed.join('trades:more')).toThrow(
      new RangeError('a connection holds 32 rooms at most: trades:more does not fit'),
    )
    await run(5000 + round * 1000)
    for (const room of round < 19 ? feed.rooms() : []) feed.leave(room)
  }
  await run(10 * MINUTE_MS)
  expect(gateway.rooms()).toEqual([[...feed.rooms()].sort()])
  expect(gateway.wrongs).toEqual([])
  expect(log.filter((line) => line === 'served')).toHaveLength(1)
  expect(log).toContain('joined')
})

test('rejects a room that does not fit into a frame', () => {
  const { feed } = follow()
  expect(() => feed.join(`trades:${'é'.repeat(1000)}`)).toThrow('a frame has at most 2000 bytes: trades:éé')
})

test('ends when access is lost, and after too many failures', async () => {
  const { tools, run } = testTools()
  const gateway = testGateway(tools)
  const stopped = keepFeed(
    { rooms: [], refetch() {} },
    {
      openWire: gateway.openWire,
      takeTicket: () => Promise.reject(new Error('403')),
      onConfigChanged() {},
      afterError,
      tools,
    },
  )
  const refused = follow({ failuresMax: 5, ticketsFromMs: Number.POSITIVE_INFINITY })
  await Promise.all([run(), refused.run()])
  await Promise.all([stopped.ended, refused.feed.ended])
  expect(refused.log).toEqual(Array.from({ length: 5 }, () => 'rejected'))
})

const fault = fc.record({
  afterMs: fc.nat(90_000),
  what: fc.constantFrom('restart', 'mute', 'resync', 'no tickets', 'no upgrades', 'join', 'leave', 'close'),
})

test('under any faults it violates no rule and recovers to one socket with its rooms and a refetch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 25 }), fc.nat(), async (faults, seed) => {
      const { run, gateway, feed, log, nowMs } = follow({ seed })
      let isClosed = false
      let count = 0
      for (const { afterMs, what } of faults) {
        await run(nowMs() + afterMs)
        if (what === 'restart') gateway.restart()
        if (what === 'mute') gateway.mute()
        if (what === 'resync') gateway.send({ control: 'resync_required' })
        if (what === 'no tickets') gateway.refuses.ticketsUntilMs = nowMs() + 15_000
        if (what === 'no upgrades') gateway.refuses.upgradesUntilMs = nowMs() + 15_000
        if (what === 'join' && feed.rooms().length < 32) feed.join(`ohlcv:${count++}`)
        if (what === 'leave') feed.leave(feed.rooms()[0] ?? '')
        if (what === 'close') {
          isClosed = true
          void feed.close()
        }
      }
      await run(nowMs() + 3 * MINUTE_MS)
      expect(gateway.wrongs).toEqual([])
      expect(gateway.rooms()).toEqual(isClosed ? [] : [[...feed.rooms()].sort()])
      expect(feed.isServed()).toBe(!isClosed)
      if (!isClosed) {
        const served = log.lastIndexOf('served')
        expect(log.slice(served + 1)).toContain(
          served === log.indexOf('served') ? 'connected' : 'reconnected',
        )
      }
      void feed.close()
      await run()
      await feed.ended
    }),
    { numRuns: 60, examples: [[[{ afterMs: 10, what: 'resync' }], 0]] },
  )
}, 60_000)

test('measures the time to synchronize from the opening of each socket', async () => {
  const tookMs: number[] = []
  const { run, gateway } = follow({ onSynchronized: (ms) => void tookMs.push(ms) })
  gateway.delays.synchronizedMs = 700
  await run(20_000)
  gateway.delays.synchronizedMs = 1700
  gateway.restart()
  await run(60_000)
  // Opening, ticket, ping and request take one round trip each.
  expect(tookMs).toEqual([tookMs[0], (tookMs[0] ?? 0) + 1000])
  expect(tookMs[0]).toBe(10 + 10 + 200 + 10 + 20 + 10 + 700 + 10)
})

test('passes on each frame with its arrival time', async () => {
  const frames: string[] = []
  const { run, gateway } = follow({ onFrame: (text, atMs) => void frames.push(`${atMs} ${text}`) })
  await run(5000)
  frames.splice(0)
  gateway.send({ type: 'Trade' })
  await run(6000)
  expect(frames).toEqual(['5010 {"type":"Trade"}'])
})

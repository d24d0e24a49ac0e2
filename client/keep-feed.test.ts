import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FeedOptions, keepFeed, type RefetchReason } from './keep-feed.ts'
import { testGateway } from './test-gateway.ts'
import { testTools } from './test-tools.ts'

const MINUTE_MS = 60_000

const afterError = (error: unknown) => (String(error).includes('403') ? 'stop' : 0)

/** A client that follows two rooms, and what it does, in the time of the test. */
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

test('opens, is served, and goes on for an hour on one socket, with new tickets in time', async () => {
  const { run, gateway, log, feed } = follow({ silenceMs: 24 * 60 * MINUTE_MS })
  await run(60 * MINUTE_MS)
  expect(log).toEqual(['served', 'connected'])
  expect(gateway.rooms()).toEqual([['pool_stats:a', 'trades:a']])
  expect(gateway.opened()).toHaveLength(1)
  expect(gateway.wrongs).toEqual([])
  // Each 30 to 40 s.
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

test('a server that opens and closes at once is come back to ever more rarely', async () => {
  const { run, gateway, tools } = follow()
  const cut = () => {
    gateway.restart()
    tools.after(300, cut)
  }
  cut()
  await run(20 * MINUTE_MS)
  const { length } = gateway.opened()
  // With full jitter below a cap of 30 s: one each 15 s, more or less.
  expect(length).toBeGreaterThan(50)
  expect(length).toBeLessThan(150)
})

test('reconnects of many are spread over the time that backoff allows', async () => {
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

test('a socket that falls silent is asked, given up, and replaced', async () => {
  const { run, gateway, log } = follow()
  await run(10_000)
  gateway.mute()
  await run(40_000)
  expect(log).toEqual(['served', 'connected', 'served', 'reconnected'])
  expect(gateway.opened()).toHaveLength(2)
  expect(gateway.wrongs).toEqual([])
})

test('a server that takes longer over synchronize gets more time, try by try', async () => {
  const { run, gateway, log } = follow()
  gateway.delays.synchronizedMs = 15_000
  await run(2 * MINUTE_MS)
  expect(log).toEqual(expect.arrayContaining(['mute', 'mute', 'served', 'connected']))
  expect(log.filter((line) => line === 'mute')).toHaveLength(2)
  expect(gateway.wrongs).toEqual([])
})

test('a market that is quiet is not left, but read again', async () => {
  const { run, gateway, log } = follow()
  await run(65_000)
  expect(log).toEqual(['served', 'connected', 'quiet'])
  expect(gateway.opened()).toHaveLength(1)
})

test('resync_required is followed by a refetch; those that come meanwhile by one more', async () => {
  const { tools, log, gateway, run } = follow({
    refetch: async (reasons) => {
      log.push(reasons.join(' '))
      await tools.pause(1000)
      log.push('done')
    },
  })
  await run(5000)
  for (let count = 0; count < 3; count++) gateway.tell({ control: 'resync_required' })
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

test('events may ask for a refetch: it is one for all that come meanwhile', async () => {
  const { tools, log, gateway, run, feed } = follow({
    refetch: async (reasons) => {
      log.push(reasons.join(' '))
      await tools.pause(1000)
    },
    onEvent: () => feed.refetch(),
  })
  await run(5000)
  for (let count = 0; count < 3; count++) gateway.tell({ type: 'Trade', data: {} })
  await run(10_000)
  expect(log).toEqual(['served', 'connected', 'asked', 'asked asked'])
})

test('a refetch that comes to nothing is made again until it does', async () => {
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

test('what is not known is ignored: controls, types, and what is no JSON', async () => {
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
    gateway.tell(message)
  await run(6000)
  expect(events).toEqual(['Trade', 'ProtocolConfigChanged', 'ProtocolConfigChanged'])
  expect(revisions).toEqual(['7', undefined])
  expect(log).toEqual(['served', 'connected'])
})

test('rooms are joined and left as it goes, never too many, never too fast', async () => {
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

test('a room that no frame holds is refused', () => {
  const { feed } = follow()
  expect(() => feed.join(`trades:${'é'.repeat(1000)}`)).toThrow('a frame has at most 2000 bytes: trades:éé')
})

test('where the client has no business any more, it ends; so it does after as many failures as it may have', async () => {
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
  expect(refused.log).toEqual(Array.from({ length: 5 }, () => 'refused'))
})

const trouble = fc.record({
  afterMs: fc.nat(90_000),
  what: fc.constantFrom('restart', 'mute', 'resync', 'no tickets', 'no upgrades', 'join', 'leave', 'close'),
})

test('whatever befalls it, it breaks no rule, and in the end has one socket with the rooms that it wants, and has read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 25 }), fc.nat(), async (troubles, seed) => {
      const { run, gateway, feed, log, nowMs } = follow({ seed })
      let isClosed = false
      let count = 0
      for (const { afterMs, what } of troubles) {
        await run(nowMs() + afterMs)
        if (what === 'restart') gateway.restart()
        if (what === 'mute') gateway.mute()
        if (what === 'resync') gateway.tell({ control: 'resync_required' })
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

test('the time to synchronize runs from opening the socket, anew for each', async () => {
  const tookMs: number[] = []
  const { run, gateway } = follow({ onSynchronized: (ms) => void tookMs.push(ms) })
  gateway.delays.synchronizedMs = 700
  await run(20_000)
  gateway.delays.synchronizedMs = 1700
  gateway.restart()
  await run(60_000)
  // Opening, the ticket, a ping and the request each take their way there and back.
  expect(tookMs).toEqual([tookMs[0], (tookMs[0] ?? 0) + 1000])
  expect(tookMs[0]).toBe(10 + 10 + 200 + 10 + 20 + 10 + 700 + 10)
})

test('each frame is handed on with the time at which it came', async () => {
  const frames: string[] = []
  const { run, gateway } = follow({ onFrame: (text, atMs) => void frames.push(`${atMs} ${text}`) })
  await run(5000)
  frames.splice(0)
  gateway.tell({ type: 'Trade' })
  await run(6000)
  expect(frames).toEqual(['5010 {"type":"Trade"}'])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testTools } from '../../../client/test-tools.ts'
import { confirmPersistence, createBusyTime, SPREAD_MS_MIN, TRIES_MIN } from './persistence.ts'

type Try = { status: number; tookMs?: number }

/** A mock server with scripted results; records the attempt times. */
async function confirm(options: {
  tries: readonly Try[]
  witnesses?: readonly boolean[]
  serverWaitMs?: number
}) {
  const { tools, nowMs, run } = testTools()
  const [first = { status: 500 }, ...rest] = options.tries
  const witnesses = [...(options.witnesses ?? [])]
  const triedAt = [0]
  const witnessedAt: number[] = []
  const outcome = confirmPersistence({
    first,
    describeError: ({ status }) => (status < 400 ? undefined : String(status)),
    async again() {
      const seen = rest.shift() ?? first
      triedAt.push(nowMs())
      await tools.pause(seen.tookMs ?? 0)
      return seen
    },
    async witness() {
      witnessedAt.push(nowMs())
      return { served: witnesses.shift() ?? true, explanation: 'the witness' }
    },
    tools,
    ...(options.serverWaitMs === undefined ? {} : { serverWaitMs: options.serverWaitMs }),
  })
  await run()
  return { ...(await outcome), triedAt, witnessedAt, endedMs: nowMs() }
}

const BROKEN: Try = { status: 500 }
const FINE: Try = { status: 200 }

test('the same error in four attempts over 5 s, while witnesses are served, is persistent', async () => {
  const { outcome, explanation, triedAt, witnessedAt } = await confirm({ tries: [BROKEN] })
  expect(outcome).toBe('persistent')
  expect(triedAt).toEqual([0, 1687, 3374, 5061])
  expect(witnessedAt).toEqual(triedAt.slice(1))
  expect(explanation).toBe(
    '500 in each of 4 attempts (+0.0 s, +1.7 s, +3.4 s, +5.1 s), while witnesses were served: the witness at +1.7 s, the witness at +3.4 s, the witness at +5.1 s',
  )
})

test('a first attempt without an error is gone at once', async () => {
  const { outcome, last, triedAt, endedMs } = await confirm({ tries: [FINE, BROKEN] })
  expect([outcome, last, triedAt, endedMs]).toEqual(['gone', FINE, [0], 0])
})

test('a transient error is gone, and the attempt without it is returned', async () => {
  const { outcome, last, triedAt } = await confirm({ tries: [BROKEN, BROKEN, FINE] })
  expect([outcome, last, triedAt.length]).toEqual(['gone', FINE, 3])
})

test('an outage, in which witnesses fail too, stays open', async () => {
  const { outcome, explanation, triedAt } = await confirm({ tries: [BROKEN], witnesses: [true, false] })
  expect([outcome, explanation, triedAt.length]).toEqual(['open', 'the witness', 2])
})

test('errors of several kinds stay open', async () => {
  const { outcome, explanation } = await confirm({ tries: [BROKEN, BROKEN, { status: 502 }] })
  expect([outcome, explanation]).toEqual(['open', 'first 500, then 502'])
})

test('slow attempts run concurrently', async () => {
  const { outcome, endedMs } = await confirm({ tries: [{ status: 500, tookMs: 10_000 }] })
  expect(outcome).toBe('persistent')
  expect(endedMs).toBe(15_061)
})

test('no attempt starts before the requested wait is over', async () => {
  const { triedAt } = await confirm({ tries: [BROKEN], serverWaitMs: 3000 })
  expect(triedAt).toEqual([0, 3000, 6000, 9000])
})

test('an exception in an attempt is rethrown, and ends the attempts', async () => {
  const { tools, run } = testTools()
  let tries = 0
  const outcome = confirmPersistence({
    first: BROKEN,
    describeError: () => 'broken',
    again() {
      tries++
      return Promise.reject(new Error('the run is over'))
    },
    witness: async () => ({ served: true, explanation: '' }),
    tools,
  })
  const caught = expect(outcome).rejects.toThrow('the run is over')
  await run()
  await caught
  expect(tries).toBe(1)
})

test('never persistent without four equal errors in a row over 5 s and a served witness before each repeat', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ status: fc.constantFrom(200, 500, 500, 500, 502), tookMs: fc.nat(12_000) }), {
        minLength: 4,
        maxLength: 4,
      }),
      fc.array(
        fc.integer({ min: 0, max: 5 }).map((number) => number > 0),
        { minLength: 3, maxLength: 3 },
      ),
      fc.nat(4000),
      async (tries, witnesses, serverWaitMs) => {
        const first = { ...tries[0], status: tries[0]?.status === 200 ? 500 : (tries[0]?.status ?? 500) }
        const seen = await confirm({ tries: [first, ...tries.slice(1)], witnesses, serverWaitMs })
        const isSame = tries.slice(1).every(({ status }) => status === first.status)
        const spreadMs = (seen.triedAt.at(-1) ?? 0) - (seen.triedAt[0] ?? 0)
        if (seen.outcome === 'persistent') {
          expect(isSame && !witnesses.includes(false)).toBe(true)
          expect(seen.triedAt.length).toBeGreaterThanOrEqual(TRIES_MIN)
          expect(spreadMs).toBeGreaterThanOrEqual(SPREAD_MS_MIN)
        } else expect(isSame && !witnesses.includes(false)).toBe(false)
      },
    ),
  )
})

test('counts what several pieces of work share once, and nothing between them', async () => {
  let nowMs = 0
  const busy = createBusyTime({ nowMs: () => nowMs })
  const ends: (() => void)[] = []
  const start = () => busy.during(() => new Promise<void>((done) => ends.push(done)))
  const first = start()
  nowMs = 100
  const second = start()
  nowMs = 150
  expect(busy.totalMs()).toBe(150)
  ends[0]?.()
  await first
  nowMs = 400
  ends[1]?.()
  await second
  nowMs = 1000
  expect(busy.totalMs()).toBe(400)
  const third = start()
  nowMs = 1010
  ends[2]?.()
  await third
  expect(busy.totalMs()).toBe(410)
})

test('work that fails counts, and its error is thrown', async () => {
  let nowMs = 0
  const busy = createBusyTime({ nowMs: () => nowMs })
  const failing = busy.during(async () => {
    nowMs += 30
    throw new Error('no socket')
  })
  await expect(failing).rejects.toThrow('no socket')
  expect(busy.totalMs()).toBe(30)
})

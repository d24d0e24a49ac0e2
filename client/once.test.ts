import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coalesce, createRevisions, quoteUntilCurrent, singleFlight } from './once.ts'
import { testTools } from './test-tools.ts'

test('callers during a run share its outcome; later ones start another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(500), { minLength: 1, maxLength: 20 }), async (startsMs) => {
      const { tools, nowMs, run } = testTools()
      let runs = 0
      let atOnce = 0
      const work = singleFlight(async () => {
        const mine = ++runs
        expect(++atOnce).toBe(1)
        await tools.pause(100)
        atOnce--
        return { mine, endedMs: nowMs() }
      })
      const waits: Promise<void>[] = []
      for (const ms of startsMs) {
        tools.after(ms, () => {
          const startedMs = nowMs()
          waits.push(
            work().then(({ endedMs }) => {
              expect(endedMs - startedMs).toBeGreaterThan(-1)
              expect(endedMs - startedMs).toBeLessThanOrEqual(100)
            }),
          )
        })
      }
      await run()
      await Promise.all(waits)
      expect(runs).toBeLessThanOrEqual(Math.ceil((Math.max(...startsMs) + 1) / 100))
    }),
  )
})

test('a failure reaches all waiting callers, and no later ones', async () => {
  let runs = 0
  const work = singleFlight(async () => {
    if (++runs === 1) throw new Error('boo')
    return runs
  })
  const outcomes = await Promise.allSettled([work(), work()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await work()).toBe(2)
})

test('passes each trigger to one later run; never two runs at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 20 }), async (triggeredAtMs) => {
      const { tools, nowMs, run } = testTools()
      const received: number[] = []
      let atOnce = 0
      const trigger = coalesce<number>(async (triggers) => {
        expect(++atOnce).toBe(1)
        for (const ms of triggers) expect(ms).toBeLessThanOrEqual(nowMs())
        received.push(...triggers)
        await tools.pause(150)
        atOnce--
      })
      for (const ms of triggeredAtMs) tools.after(ms, () => trigger(ms))
      await run()
      expect(received).toEqual([...triggeredAtMs].sort((one, other) => one - other))
    }),
  )
})

test('reads the highest of many revisions after the current read; ignores repeated and late ones', async () => {
  const { tools, run } = testTools()
  const read: bigint[] = []
  const revisions = createRevisions(async (minimum) => {
    read.push(minimum)
    await tools.pause(100)
  })
  for (const revision of [5n, 7n, 6n, 7n, 9n, 8n]) revisions.hear(revision)
  await run()
  revisions.hear(9n)
  await run()
  expect(read).toEqual([5n, 9n])
  expect(revisions.announced()).toBe(9n)
  expect([8n, 9n, 10n, undefined].map(revisions.isStale)).toEqual([true, false, false, false])
})

test.each([
  [[7], 0, 7],
  [[5, undefined], 1, undefined],
  [[5, 6, 7], 2, 7],
  [[6, 6, 6, 6, 6, 7], 4, undefined],
])('of quotes at revisions %j, waits %d times and uses %s', async (served, waits, used) => {
  const quoted = [...served]
  const waited: number[] = []
  const quote = await quoteUntilCurrent({
    quote: async () => quoted.shift(),
    isStale: (revision) => revision !== undefined && revision < 7,
    beforeAgain: async (attempt) => waited.push(attempt),
  })
  expect(quote).toBe(used)
  expect(waited).toEqual([1, 2, 3, 4].slice(0, waits))
})

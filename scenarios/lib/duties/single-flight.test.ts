import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testTools } from '../client/test-tools.ts'
import { singleFlight } from './single-flight.ts'

test('whoever asks while it is under way gets the same outcome; whoever asks later, another', async () => {
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
          const askedMs = nowMs()
          waits.push(
            work().then(({ endedMs }) => {
              expect(endedMs - askedMs).toBeGreaterThan(-1)
              expect(endedMs - askedMs).toBeLessThanOrEqual(100)
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

test('a failure is everybody’s who waited, and nobody’s who comes later', async () => {
  let runs = 0
  const work = singleFlight(async () => {
    if (++runs === 1) throw new Error('boo')
    return runs
  })
  const outcomes = await Promise.allSettled([work(), work()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await work()).toBe(2)
})

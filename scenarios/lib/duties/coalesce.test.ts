import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testTools } from '../client/test-tools.ts'
import { coalesce } from './coalesce.ts'

test('each ask is told of once, by a run that begins after it; never two runs at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 20 }), async (askedAtMs) => {
      const { tools, nowMs, run } = testTools()
      const told: number[] = []
      let atOnce = 0
      const ask = coalesce<number>(async (asked) => {
        expect(++atOnce).toBe(1)
        for (const ms of asked) expect(ms).toBeLessThanOrEqual(nowMs())
        told.push(...asked)
        await tools.pause(150)
        atOnce--
      })
      for (const ms of askedAtMs) tools.after(ms, () => ask(ms))
      await run()
      expect(told).toEqual([...askedAtMs].sort((one, other) => one - other))
    }),
  )
})

import { expect, test } from 'vitest'
import { oneAtATime } from './timers.ts'

test('runs once more for all that asked meanwhile', async () => {
  const ends: (() => void)[] = []
  const run = oneAtATime(() => new Promise<void>((end) => ends.push(end)))
  const asked = [run(), run(), run()]
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await Promise.all(asked)
  expect(ends).toHaveLength(2)
})

test('a failure is told to all that asked, and the next begins anew', async () => {
  let runs = 0
  const run = oneAtATime(async () => {
    runs++
    if (runs === 1) throw new Error('no answer')
  })
  const asked = [run(), run()]
  await expect(Promise.allSettled(asked)).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  await run()
  expect(runs).toBe(2)
})

import { expect, test } from 'vitest'
import { proveHunt } from './hunt.ts'

const run = async (options: Parameters<typeof proveHunt>[1]) => {
  const results: [string, string | undefined][] = []
  await proveHunt((...result) => results.push(result), options)
  return results
}

test('a planted bug is found, shrunk and repeated; right clients are not reported', async () => {
  const [found, size, repeats, , ...quiet] = await run({ names: ['watches-another'], rightSchedules: 2 })
  expect(quiet.map(([, problem]) => problem)).toEqual([undefined, undefined, undefined])
  expect([found, size, repeats]).toEqual([
    ['hunts find 1 of 1 wrong clients within 60 schedules', undefined],
    ['median size of a minimum: 0 decisions', undefined],
    ['the least repeatable minimum repeats 10 of 10 times', undefined],
  ])
})

import { expect, test } from 'vitest'
import { runnerMemory } from './runner-memory.ts'

const MIB = 2 ** 20

test.each([
  { vusMax: 10, parallelism: 1, mib: 256 },
  { vusMax: 1120, parallelism: 1, mib: 1600 },
  { vusMax: 1120, parallelism: 4, mib: 576 },
])('$vusMax VUs in $parallelism runners are given $mib MiB each', ({ mib, ...load }) => {
  expect(runnerMemory({ ...load, askedBytes: null })).toBe(mib * MIB)
})

test('what is asked for is what they get, where their VUs fit into it', () => {
  expect(runnerMemory({ askedBytes: 560 * MIB, vusMax: 1120, parallelism: 1 })).toBe(560 * MIB)
})

// A runner of 256 MiB was killed as it made the 510th of these.
test('what cannot hold them is refused, with what could', () => {
  expect(() => runnerMemory({ askedBytes: 256 * MIB, vusMax: 1120, parallelism: 1 })).toThrow(
    expect.objectContaining({
      message: '--memory 256Mi: the 1120 VUs of each runner take more before they do anything',
      hint: 'They fit into 1600Mi; or take more runners (--parallelism), or fewer VUs (--max-vus).',
      exitCode: 2,
    }),
  )
})

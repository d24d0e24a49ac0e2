import { expect, test } from 'vitest'
import { judgeRatios, parseRatios } from './bench-gate.ts'

test.each([
  ['as recorded', 2, 'ok      swaps: 2.00, recorded 2.00 (1.00 times)'],
  ['better', 0.5, 'ok      swaps: 0.500, recorded 2.00 (0.25 times)'],
  ['worse by less than 15 %', 2.29, 'ok      swaps: 2.29, recorded 2.00 (1.15 times)'],
  ['worse by more', 2.31, 'FAILED  swaps: 2.31, recorded 2.00 (1.16 times), at most 1.15 times is allowed'],
])('judges a ratio that is %s', (_, ratio, line) => {
  expect(judgeRatios({ swaps: ratio }, { swaps: 2 })).toEqual({
    lines: [line],
    isPassed: line.startsWith('ok'),
  })
})

test('fails for a figure that was renamed', () => {
  expect(judgeRatios({ swap: 2 }, { swaps: 2 })).toEqual({
    lines: [
      'FAILED  swap: measured, but not recorded; record all again with --record',
      'FAILED  swaps: recorded, but not measured; record all again with --record',
    ],
    isPassed: false,
  })
})

test.each(['', '{', '[1]', '{"swaps": "2"}', '{"swaps": 0}', '{"swaps": null}'])(
  'rejects %j as a record',
  (text) => {
    expect(() => parseRatios(text)).toThrow(
      expect.objectContaining({
        message: 'tools/bench/recorded-ratios.json is not an object of positive numbers',
        exitCode: 2,
      }),
    )
  },
)

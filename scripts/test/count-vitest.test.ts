import { expect, test } from 'vitest'
import { countVitest } from './count-vitest.ts'

test.each([
  { numPassedTests: 5, numFailedTests: 0, numFailedTestSuites: 0, expected: { passed: 5, failed: 0 } },
  { numPassedTests: 5, numFailedTests: 2, numFailedTestSuites: 1, expected: { passed: 5, failed: 2 } },
  { numPassedTests: 5, numFailedTests: 0, numFailedTestSuites: 1, expected: { passed: 5, failed: 1 } },
])('counts $expected', ({ expected, ...report }) => {
  expect(countVitest(JSON.stringify(report))).toEqual(expected)
})

test('counts nothing where there is no report', () => {
  expect(countVitest('')).toEqual({ passed: 0, failed: 0 })
})

import { expect, test } from 'vitest'
import { countVitest } from './count-vitest.ts'

test.each([
  { passed: 5, failed: 0, suites: 0, pending: 0, expected: { passed: 5, failed: 0, skipped: 0 } },
  { passed: 5, failed: 2, suites: 1, pending: 3, expected: { passed: 5, failed: 2, skipped: 3 } },
  { passed: 5, failed: 0, suites: 1, pending: 0, expected: { passed: 5, failed: 1, skipped: 0 } },
])('counts $expected', ({ passed, failed, suites, pending, expected }) => {
  const report = {
    numPassedTests: passed,
    numFailedTests: failed,
    numFailedTestSuites: suites,
    numPendingTests: pending,
  }
  expect(countVitest(JSON.stringify(report))).toEqual(expected)
})

test('counts nothing where there is no report', () => {
  expect(countVitest('')).toEqual({ passed: 0, failed: 0, skipped: 0 })
})

import { expect, test } from 'vitest'
import { countGoTests, countVitest } from './count-tests.ts'

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

test('counts nothing without a report', () => {
  expect(countVitest('')).toEqual({ passed: 0, failed: 0, skipped: 0 })
})

test('counts top-level tests, and keeps the output of failed ones', () => {
  const output = [
    '{"Action":"run","Package":"p","Test":"TestA"}',
    '{"Action":"pass","Package":"p","Test":"TestA/sub"}',
    '{"Action":"pass","Package":"p","Test":"TestA"}',
    '{"Action":"output","Package":"p","Test":"TestB","Output":"want 1, got 2\\n"}',
    '{"Action":"fail","Package":"p","Test":"TestB"}',
    '{"Action":"fail","Package":"p"}',
    'not JSON',
  ].join('\n')
  expect(countGoTests(output)).toEqual({ passed: 1, failed: 1, failures: ['want 1, got 2\n'] })
})

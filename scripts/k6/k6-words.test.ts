import { expect, test } from 'vitest'
import { durationMs, exitMeaning } from './k6-words.ts'

test.each([
  [0, 'finished'],
  [97, 'the cloud test run failed'],
  [98, 'the progress of the cloud test run could not be read'],
  [99, 'a threshold was crossed'],
  [100, 'setup() timed out'],
  [101, 'teardown() timed out'],
  [102, 'timed out'],
  [103, 'stopped through the REST API'],
  [104, 'invalid configuration of the test'],
  [105, 'ended by a signal'],
  [106, 'the REST API server could not be started'],
  [107, 'the script threw an exception'],
  [108, 'the script called test.abort()'],
  [109, 'k6 panicked'],
  [110, 'the script called test.fail()'],
  [255, 'k6 could not start the run: a file is missing, an option unknown, or an output cannot be written'],
  [111, 'ended with the unknown exit code 111'],
])('exit code %i: %s', (exitCode, meaning) => {
  expect(exitMeaning(exitCode, null)).toBe(meaning)
})

test('a signal that killed k6 is named', () => {
  expect(exitMeaning(null, 'SIGKILL')).toBe('killed by SIGKILL')
})

test.each([
  ['33s', 33_000],
  ['10m30s', 630_000],
  ['1h0m0.5s', 3_600_500],
  ['1d2h', 93_600_000],
  ['500ms', 500],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '1m-3s'])('%j is no duration', (text) => {
  expect(() => durationMs(text)).toThrow(RangeError)
})

import { expect, test } from 'vitest'
import type { Failure, RunnerState } from '../diagnose/diagnose.ts'
import { endOfRun } from './end-of-run.ts'
import type { Followed } from './follow-run.ts'

const KILLED: Failure = {
  kind: 'failed',
  sentence: 'runner 2: pod/run-2-b: OOMKilled (exit code 137)',
  hint: 'Raise --memory.',
  logOf: null,
}
const ENDED: RunnerState = { runner: 1, pod: 'run-1-a', at: 'ended' }

const NO_LOGS = new Map<number, string>()

test('a run that ended by itself is whole', () => {
  const followed: Followed = { how: 'ended', verdict: { kind: 'ended' }, runners: [ENDED] }
  expect(endOfRun(followed, NO_LOGS)).toEqual({
    ended: 'whole',
    reason: null,
    k6: { exitCode: 0, reason: 'finished', meaning: 'finished' },
    failure: null,
  })
})

test('one that failed says by what', () => {
  expect(endOfRun({ how: 'failed', verdict: KILLED, runners: [ENDED] }, NO_LOGS)).toEqual({
    ended: 'broken',
    reason: KILLED.sentence,
    k6: { exitCode: null, reason: 'finished', meaning: KILLED.sentence },
    failure: { sentence: KILLED.sentence, hint: KILLED.hint },
  })
})

test('one that was interrupted, or did not end, says so', () => {
  const verdict = { kind: 'running' } as const
  expect(endOfRun({ how: 'interrupted', verdict, runners: [ENDED] }, NO_LOGS)).toMatchObject({
    ended: 'interrupted',
    k6: { reason: 'interrupted' },
    failure: null,
  })
  expect(endOfRun({ how: 'deadline', verdict, runners: [ENDED] }, NO_LOGS)).toMatchObject({
    ended: 'broken',
    k6: { exitCode: null, reason: 'deadline' },
    failure: { sentence: 'the runners did not end in time' },
  })
})

const EXITED: Failure = { ...KILLED, sentence: 'runners 1 and 3: pod/run-1-a: exit code 108', logOf: 1 }

function failureWith(verdict: Failure, log: string) {
  return endOfRun({ how: 'failed', verdict, runners: [ENDED] }, new Map([[1, log]])).failure
}

test('a target that does not serve is reported instead of the exit code', () => {
  const log = `something before
test aborted: the target does not serve the load: http://stub:8080: GET /tokens: answered 404\u001b[2J
after`
  expect(failureWith(EXITED, log)).toEqual({
    sentence:
      'runners 1 and 3: the target does not serve the load: http://stub:8080: GET /tokens: answered 404\\u001b[2J',
    hint: expect.stringContaining('from within the cluster'),
  })
})

test.each([
  [
    'time="2026-11-22T11:01:08Z" level=error msg="unknown flag: --no-such-option \\"x\\""\n',
    'unknown flag: --no-such-option "x"',
  ],
  ['Error: no such thing\n\tat file:///test/script.js:5:36(42)\n\n', 'Error: no such thing'],
  ['the summary failed\nopen /nowhere/x: no such file\n', 'open /nowhere/x: no such file'],
  ['    vus: 0   min=0\n\n\ntest aborted: enough at default', 'test aborted: enough at default'],
])('the last words of k6 are added: %j', (log, words) => {
  expect(failureWith(EXITED, log)?.sentence).toBe(`${EXITED.sentence}; its log ends: ${words}`)
})

test('an empty log adds nothing, nor does one of a runner that the cluster ended', () => {
  expect(failureWith(EXITED, '\n  \n')?.sentence).toBe(EXITED.sentence)
  expect(failureWith(KILLED, 'a line\n')?.sentence).toBe(KILLED.sentence)
})

import { expect, test } from 'vitest'
import type { Failure, RunnerState } from '../diagnose/verdict.ts'
import { endOfRun } from './end-of-run.ts'
import type { Followed } from './follow-run.ts'

const KILLED: Failure = {
  kind: 'failed',
  sentence: 'runner 2: out of memory',
  hint: 'Give it more.',
  whose: 'runner',
  runner: 2,
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
    reason: 'runner 2: out of memory',
    k6: { exitCode: null, reason: 'finished', meaning: 'runner 2: out of memory' },
    failure: KILLED,
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

test('what a runner says against the target is told in place of its exit code', () => {
  const says =
    'test aborted: the target does not serve the load: http://t/tokens: answered 404\u001b[2J\nmore'
  const followed: Followed = { how: 'failed', verdict: KILLED, runners: [ENDED] }
  const { reason, failure } = endOfRun(followed, new Map([[2, says]]))
  expect(reason).toMatch(/^runner 2: the target does not serve the load: http:\/\/t\/tokens: answered 404/)
  expect(reason).not.toContain('\u001b')
  expect(failure).toMatchObject({ sentence: reason, whose: 'target' })
})

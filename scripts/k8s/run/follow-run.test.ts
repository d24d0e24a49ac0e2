import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import type { Failure, RunnerState } from '../diagnose/diagnose.ts'
import { SEEN, type Seen } from '../diagnose/test-seen.ts'
import {
  concludeRun,
  type Followed,
  type FollowedCluster,
  type FollowOptions,
  followRun,
} from './follow-run.ts'

const { ABORTED, JUST_MADE, STARTING, UNDER_WAY } = SEEN
const UNREACHED = 'unreached'
type Moment = Seen | typeof UNREACHED

function clusterSeen(moments: readonly Moment[]) {
  let looks = 0
  const stopped: string[] = []
  const now = () => {
    const moment = moments[Math.min(looks, moments.length - 1)] ?? UNREACHED
    if (moment === UNREACHED) throw new BreakwaterError('the cluster cannot be reached')
    return moment
  }
  const cluster = {
    namespace: 'loads',
    async get() {
      return now().testRun
    },
    async list(kind: string) {
      return { Job: now().jobs, Pod: now().pods, Event: now().events }[kind] ?? []
    },
    async requestPod(pod: string) {
      stopped.push(pod)
      return { status: 200, headers: {}, body: Readable.from([]) }
    },
    async remove() {
      return true
    },
  } as unknown as FollowedCluster // as: no other method is called
  return { cluster, stopped, look: () => looks++ }
}

async function follow(moments: readonly Moment[], options: Partial<FollowOptions> = {}, lookSeconds = 1) {
  const { cluster, stopped, look } = clusterSeen(moments)
  const verdicts: string[] = []
  let nowMs = 0
  const followed = await followRun(cluster, {
    name: 'run',
    parallelism: 2,
    resultsPod: null,
    startSeconds: 60,
    loadSeconds: 10,
    signal: new AbortController().signal,
    endsLoad: true,
    onDiagnosis: ({ verdict }) => verdicts.push(verdict.kind),
    clock: {
      nowMs: () => nowMs,
      async wait() {
        look()
        nowMs += lookSeconds * 1000
      },
    },
    ...options,
  })
  return { followed, verdicts, stopped, seconds: nowMs / 1000 }
}

const DONE: Seen = {
  ...UNDER_WAY,
  pods: UNDER_WAY.pods.map((pod) => ({
    ...pod,
    status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
  })),
}

test('follows a run until its runners have ended', async () => {
  const { followed, verdicts, stopped } = await follow([JUST_MADE, STARTING, UNDER_WAY, UNDER_WAY, DONE])
  expect(verdicts).toEqual(['waiting', 'waiting', 'running', 'running', 'ended'])
  expect(followed).toMatchObject({ how: 'ended', runners: [{ at: 'ended' }, { at: 'ended' }] })
  expect(stopped).toEqual([])
})

test('an interruption stops the runners, and waits until they have ended', async () => {
  const { followed, stopped, verdicts } = await follow([UNDER_WAY, UNDER_WAY, DONE], {
    signal: AbortSignal.abort(),
  })
  expect(stopped).toEqual(['run-1-mlsnt', 'run-2-6q7rb'])
  expect(followed.how).toBe('interrupted')
  expect(verdicts).toEqual(['running', 'running', 'ended'])
})

test('watching leaves the load alone', async () => {
  const { followed, stopped } = await follow([UNDER_WAY], { signal: AbortSignal.abort(), endsLoad: false })
  expect(followed.how).toBe('interrupted')
  expect(stopped).toEqual([])
})

test('if one fails, the others stop, and its cause is reported', async () => {
  const { followed, stopped } = await follow([UNDER_WAY, ABORTED])
  expect(followed).toMatchObject({ how: 'failed', verdict: { kind: 'failed' } })
  const going = followed.runners.filter(({ at }) => at === 'running')
  expect(stopped).toEqual(going.map(({ pod }) => pod))
})

test('runners that do not end are stopped, and abandoned after a while', async () => {
  const { followed, stopped, seconds } = await follow([UNDER_WAY])
  expect(followed.how).toBe('deadline')
  expect(stopped).toEqual(['run-1-mlsnt', 'run-2-6q7rb'])
  // 10 s of load, 60 s beyond it and 40 s to stop; each ends at the next poll.
  expect(seconds).toBe(10 + 60 + 1 + 40 + 1)
})

test('gives up on a cluster that does not respond for a minute, not before', async () => {
  const away = (looks: number): Moment[] => Array.from({ length: looks }, () => UNREACHED)
  const { followed } = await follow([UNDER_WAY, ...away(60), DONE])
  expect(followed.how).toBe('ended')
  await expect(follow([UNDER_WAY, ...away(61), DONE])).rejects.toThrow('cannot be reached')
})

const KILLED: Failure = {
  kind: 'failed',
  sentence: 'runner 2: pod/run-2-b: OOMKilled (exit code 137)',
  hint: 'Raise --memory.',
  logRunner: null,
}
const ENDED: RunnerState = { runner: 1, pod: 'run-1-a', at: 'ended' }

const NO_LOGS = new Map<number, string>()

test('a run that ended normally is complete', () => {
  const followed: Followed = { how: 'ended', verdict: { kind: 'ended' }, runners: [ENDED] }
  expect(concludeRun(followed, NO_LOGS)).toEqual({
    ended: 'completed',
    reason: null,
    k6: { exitCode: 0, reason: 'finished', meaning: 'finished' },
    failure: null,
  })
})

test('a failed run names its cause', () => {
  expect(concludeRun({ how: 'failed', verdict: KILLED, runners: [ENDED] }, NO_LOGS)).toEqual({
    ended: 'crashed',
    reason: KILLED.sentence,
    k6: { exitCode: null, reason: 'finished', meaning: KILLED.sentence },
    failure: { sentence: KILLED.sentence, hint: KILLED.hint },
  })
})

test('so does a run that was interrupted or did not end', () => {
  const verdict = { kind: 'running' } as const
  expect(concludeRun({ how: 'interrupted', verdict, runners: [ENDED] }, NO_LOGS)).toMatchObject({
    ended: 'interrupted',
    k6: { reason: 'interrupted' },
    failure: null,
  })
  expect(concludeRun({ how: 'deadline', verdict, runners: [ENDED] }, NO_LOGS)).toMatchObject({
    ended: 'crashed',
    k6: { exitCode: null, reason: 'deadline' },
    failure: { sentence: 'the runners did not end in time' },
  })
})

const EXITED: Failure = { ...KILLED, sentence: 'runners 1 and 3: pod/run-1-a: exit code 108', logRunner: 1 }

function failureWith(verdict: Failure, log: string) {
  return concludeRun({ how: 'failed', verdict, runners: [ENDED] }, new Map([[1, log]])).failure
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
])('appends the last line of k6: %j', (log, words) => {
  expect(failureWith(EXITED, log)?.sentence).toBe(`${EXITED.sentence}; its log ends: ${words}`)
})

test('appends nothing for an empty log, or a runner that the cluster ended', () => {
  expect(failureWith(EXITED, '\n  \n')?.sentence).toBe(EXITED.sentence)
  expect(failureWith(KILLED, 'a line\n')?.sentence).toBe(KILLED.sentence)
})

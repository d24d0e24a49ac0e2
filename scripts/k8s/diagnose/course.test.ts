import { expect, test } from 'vitest'
import { type DiagnoseOptions, diagnose } from './diagnose.ts'
import type { Seen } from './test-seen.ts'
import { POD_DELETED } from './test-seen-ends.ts'
import { ABORTED } from './test-seen-exits.ts'
import { BACKING_OFF, EVICTED, PAST_DEADLINE, RESTARTING } from './test-seen-pods.ts'
import { JUST_MADE, STARTING, UNDER_WAY } from './test-seen-running.ts'

const START_MS = 60_000

test('a load is waited for, then runs', () => {
  expect(verdict(JUST_MADE)).toEqual({ kind: 'waiting', why: 'both runners to come up' })
  expect(verdict(STARTING)).toEqual({ kind: 'waiting', why: 'the starter to let them go' })
  expect(verdict(UNDER_WAY)).toEqual({ kind: 'running' })
  expect(diagnose(options(STARTING)).runners.map(({ at }) => at)).toEqual(['paused', 'paused'])
  expect(diagnose(options(UNDER_WAY)).runners).toEqual([
    { runner: 1, pod: 'run-1-mlsnt', at: 'running' },
    { runner: 2, pod: 'run-2-6q7rb', at: 'running' },
  ])
})

test('what has not begun when the time is over has failed', () => {
  expect(verdict(JUST_MADE, { waitedMs: START_MS - 1 }).kind).toBe('waiting')
  expect(verdict(JUST_MADE, { waitedMs: START_MS })).toMatchObject({
    kind: 'failed',
    sentence: 'both runners did not come up in time',
    whose: 'cluster',
  })
  expect(verdict(STARTING, { waitedMs: START_MS })).toMatchObject({
    sentence: 'all runners are up, and the starter did not let them go',
  })
  expect(verdict(UNDER_WAY, { waitedMs: 10 * START_MS })).toEqual({ kind: 'running' })
})

test('a TestRun that nobody takes is given up earlier than one that is taken', () => {
  const testRun = { metadata: { name: 'run' }, spec: { parallelism: 2 } }
  const untaken = { testRun, jobs: [], pods: [], events: [] }
  expect(verdict(untaken, { waitedMs: 29_999 })).toEqual({
    kind: 'waiting',
    why: 'the operator to take the TestRun',
  })
  expect(verdict(untaken, { waitedMs: 30_000 })).toMatchObject({
    kind: 'failed',
    sentence: 'no operator took the TestRun',
    whose: 'operator',
  })
  const taken = { ...untaken, testRun: { ...testRun, status: { stage: 'initialized' } } }
  expect(verdict(taken, { waitedMs: 30_000 }).kind).toBe('waiting')
  const refused = { ...untaken, testRun: { ...testRun, status: { stage: 'error' } } }
  expect(verdict(refused)).toMatchObject({
    sentence: 'the operator refused the TestRun run',
    whose: 'operator',
  })
})

test('runners that are up and never started are the operator’s to reach', () => {
  const { testRun, events } = STARTING
  const jobs = STARTING.jobs.filter(({ metadata }) => metadata.name !== 'run-starter')
  const pods = STARTING.pods.filter(({ metadata }) => !metadata.name.startsWith('run-starter'))
  expect(verdict({ testRun, jobs, pods, events })).toEqual({
    kind: 'waiting',
    why: 'the operator to find all runners ready',
  })
  expect(verdict({ testRun, jobs, pods, events }, { waitedMs: START_MS })).toMatchObject({
    sentence: 'all runners are up, and the operator did not start them',
    hint: expect.stringMatching(/6565.*--operator-namespace/),
    whose: 'operator',
  })
})

test('a TestRun that is deleted has failed, unless it was to end', () => {
  const gone = { ...UNDER_WAY, testRun: null }
  expect(verdict(gone)).toMatchObject({ kind: 'failed', sentence: 'the TestRun run was deleted' })
  expect(verdict(gone, { isStopping: true })).toEqual({ kind: 'ended' })
})

test('what k6 exits with when it is asked to stop is no failure, and only then', () => {
  const stopped = withExits(ABORTED, { 'run-1': 103, 'run-2': 105 })
  expect(verdict(stopped, { isStopping: true })).toEqual({ kind: 'ended' })
  expect(verdict(stopped)).toMatchObject({
    sentence: 'runner 2: k6 ended with exit code 105: ended by a signal',
  })
  expect(verdict(ABORTED, { isStopping: true })).toMatchObject({ kind: 'failed', runner: 2 })
})

test('a runner that ended by a signal as its pod was deleted, or taken away, is no runner’s failure', () => {
  const ended = withExits(ABORTED, { 'run-1': 0, 'run-2': 105 })
  const withSecond = (change: (pod: Seen['pods'][number]) => object) => ({
    ...ended,
    pods: ended.pods.map((pod) => (pod.metadata.name.startsWith('run-2') ? { ...pod, ...change(pod) } : pod)),
  })
  const deleted = withSecond(({ metadata }) => ({
    metadata: { ...metadata, deletionTimestamp: '2026-11-22T12:24:00Z' },
  }))
  expect(verdict(deleted)).toMatchObject({ sentence: 'runner 2: the pod was deleted', whose: 'cluster' })
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }
  const evicted = withSecond(({ status }) => ({ status: { ...status, conditions: [condition] } }))
  expect(verdict(evicted)).toMatchObject({
    sentence: 'runner 2: evicted, as by `kubectl drain`',
    whose: 'cluster',
  })
})

test('the first to fail is named, and all that failed in the same way', () => {
  const both = withExits(ABORTED, { 'run-1': 107, 'run-2': 108 })
  // The first runner ends after the second, by the clock of its node.
  expect(verdict(both)).toMatchObject({ runner: 2 })
  expect(verdict(withExits(ABORTED, { 'run-1': 108, 'run-2': 108 }))).toMatchObject({
    sentence: 'both runners: k6 ended with exit code 108: the script called test.abort()',
    runner: 1,
  })
})

test('a results pod that ends or is gone ends the load', () => {
  const withPod = (pod: Seen) => ({ ...UNDER_WAY, pods: [...UNDER_WAY.pods, ...pod.pods] })
  expect(verdict(UNDER_WAY, { resultsPod: 'run-results' })).toMatchObject({
    kind: 'failed',
    sentence: 'the pod run-results was deleted',
  })
  expect(verdict(withPod(PAST_DEADLINE), { resultsPod: 'run-results' })).toMatchObject({
    sentence:
      'the pod run-results: ended by the pod’s own deadline: Pod was active on the node longer than the specified deadline',
  })
  expect(verdict(withPod(EVICTED), { resultsPod: 'fat' })).toMatchObject({
    sentence: 'the pod fat: evicted: Usage of EmptyDir volume "t" exceeds the limit "1Mi"',
    whose: 'cluster',
  })
})

test('a collector that is started again in its pod ends nothing, unless the pod is to go', () => {
  for (const seen of [RESTARTING, BACKING_OFF]) {
    const under = { ...UNDER_WAY, pods: [...UNDER_WAY.pods, ...seen.pods] }
    expect(verdict(under, { resultsPod: 'run-results' })).toEqual({ kind: 'running' })
    const [pod] = seen.pods
    if (pod === undefined) throw new RangeError('no pod was seen')
    const metadata = { ...pod.metadata, deletionTimestamp: '2026-11-22T11:31:15Z' }
    const going = { ...under, pods: [...UNDER_WAY.pods, { ...pod, metadata }] }
    expect(verdict(going, { resultsPod: 'run-results' })).toMatchObject({ kind: 'failed', whose: 'cluster' })
  }
})

test('what runners have measured by their end is enough, whatever becomes of the results pod', () => {
  const ended = withExits(ABORTED, { 'run-1': 0, 'run-2': 0 })
  expect(verdict(ended, { resultsPod: 'run-results' })).toEqual({ kind: 'ended' })
})

test('a pod that is deleted so as to stop it has ended', () => {
  expect(verdict(POD_DELETED)).toMatchObject({ kind: 'failed', runner: 1 })
  expect(verdict(POD_DELETED, { isStopping: true })).toEqual({ kind: 'ended' })
})

function verdict(seen: Seen, over: Partial<DiagnoseOptions> = {}) {
  return diagnose(options(seen, over)).verdict
}

function options(seen: Seen, over: Partial<DiagnoseOptions> = {}): DiagnoseOptions {
  const about = { name: 'run', parallelism: 2, resultsPod: null, isStopping: false }
  return { ...seen, ...about, waitedMs: 5_000, startMs: START_MS, ...over }
}

/** The same, had the runners ended with these exit codes, the first a second after the second. */
function withExits(seen: Seen, exits: Record<string, number>): Seen {
  const pods = seen.pods.map((pod) => {
    const exitCode = exits[pod.metadata.labels?.['job-name'] ?? '']
    if (exitCode === undefined) return pod
    const finishedAt =
      pod.metadata.labels?.['job-name'] === 'run-1' ? '2026-11-22T10:32:01Z' : '2026-11-22T10:32:00Z'
    return { ...pod, status: { containerStatuses: [{ state: { terminated: { exitCode, finishedAt } } }] } }
  })
  return { ...seen, pods }
}

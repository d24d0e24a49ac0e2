import { expect, test } from 'vitest'
import { type DiagnoseOptions, diagnose, diagnosePod } from './diagnose.ts'
import type { PodView } from './pod-standing.ts'
import { SEEN, type Seen } from './test-seen.ts'

const START_MS = 60_000

const UNTAKEN: Seen = { testRun: { metadata: { name: 'run' } }, jobs: [], pods: [], events: [] }
const TAKEN: Seen = { ...UNTAKEN, testRun: { metadata: { name: 'run' }, status: { stage: 'initialized' } } }
const WITHOUT_STARTER: Seen = {
  ...SEEN.STARTING,
  jobs: SEEN.STARTING.jobs.filter(({ metadata }) => metadata.name !== 'run-starter'),
  pods: SEEN.STARTING.pods.filter(({ metadata }) => !metadata.name.startsWith('run-starter')),
}

test.each<[why: string, hint: string, Seen, startMs: number, limitMs: number]>([
  ['the operator to take testrun/run', 'kubectl get pods -n k6-operator-system', UNTAKEN, START_MS, 30_000],
  ['the operator to make the runners', 'kubectl get jobs -n loads', TAKEN, START_MS, START_MS],
  ['the operator to take testrun/run', 'watches namespace loads', UNTAKEN, 10_000, 10_000],
  ['both runners to come up', '--start-timeout', SEEN.JUST_MADE, START_MS, START_MS],
  ['the operator to find all runners ready', '--operator-namespace', WITHOUT_STARTER, START_MS, START_MS],
  [
    'the starter to start the runners',
    'kubectl describe job/run-starter -n loads',
    SEEN.STARTING,
    START_MS,
    START_MS,
  ],
])('waits for %s, up to a limit', (why, hint, seen, startMs, limitMs) => {
  expect(verdict(seen, { startMs, waitedMs: limitMs - 1 })).toEqual({ kind: 'waiting', why })
  expect(verdict(seen, { startMs, waitedMs: limitMs })).toMatchObject({
    kind: 'failed',
    sentence: `gave up after ${limitMs / 1000} s of waiting for ${why}`,
    hint: expect.stringContaining(hint),
  })
})

test('a load that has started goes on, however long it takes', () => {
  expect(diagnose(options(SEEN.UNDER_WAY, { waitedMs: 10 * START_MS }))).toEqual({
    verdict: { kind: 'running' },
    runners: [
      { runner: 1, pod: 'run-1-mlsnt', at: 'running' },
      { runner: 2, pod: 'run-2-6q7rb', at: 'running' },
    ],
  })
})

test('a load goes on until the last runner has ended', () => {
  const { pods, ...seen } = SEEN.UNDER_WAY
  const status = { containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] }
  const ended = pods.map((pod, index) => (index === 0 ? { ...pod, status } : pod))
  expect(verdict({ ...seen, pods: ended })).toEqual({ kind: 'running' })
})

test('one runner that cannot start fails the run at once, though another may', () => {
  const { pods, ...seen } = SEEN.NO_REGISTRY
  const denied = { waiting: { reason: 'ErrImagePull', message: '403 Forbidden' } }
  const status = { phase: 'Pending', containerStatuses: [{ state: denied }] }
  const changed = pods.map((pod, index) => (index === 0 ? pod : { ...pod, status }))
  expect(verdict({ ...seen, pods: changed })).toMatchObject({
    kind: 'failed',
    sentence: 'runner 2: pod/run-2-f6whk: ErrImagePull: 403 Forbidden',
  })
})

test('causes that differ only in numbers are the same', () => {
  const { pods, ...seen } = SEEN.JUST_MADE
  const timedOut = pods.map((pod, index) => {
    const waiting = { reason: 'ErrImagePull', message: `read 10.0.0.${index}` }
    return { ...pod, status: { containerStatuses: [{ state: { waiting } }] } }
  })
  expect(verdict({ ...seen, pods: timedOut })).toEqual({
    kind: 'waiting',
    why: 'both runners: pod/run-1-mlsnt: ErrImagePull: read 10.0.0.0',
  })
})

test('a TestRun that the operator rejects, or that is deleted, fails; a deleted one has ended if it was to stop', () => {
  const rejected = { ...UNTAKEN, testRun: { metadata: { name: 'run' }, status: { stage: 'error' } } }
  expect(verdict(rejected)).toMatchObject({ sentence: expect.stringContaining('testrun/run: stage error') })
  const gone = { ...SEEN.UNDER_WAY, testRun: null }
  expect(verdict(gone)).toMatchObject({ kind: 'failed', sentence: 'testrun/run was deleted' })
  expect(verdict(gone, { isStopping: true })).toEqual({ kind: 'ended' })
})

test('runners that were stopped, or deleted to stop them, have ended', () => {
  const stopped = withExits({ 'run-1': 103, 'run-2': 105 })
  expect(verdict(stopped, { isStopping: true })).toEqual({ kind: 'ended' })
  expect(verdict(stopped)).toMatchObject({
    sentence: expect.stringContaining('exit code 105: ended by a signal'),
  })
  expect(verdict(SEEN.POD_DELETED, { isStopping: true })).toEqual({ kind: 'ended' })
  expect(verdict(SEEN.ABORTED, { isStopping: true })).toMatchObject({ kind: 'failed', logRunner: 2 })
})

test('the first runner to fail is named, with all that failed for the same reason', () => {
  expect(verdict(withExits({ 'run-1': 107, 'run-2': 108 }))).toMatchObject({ logRunner: 2 })
  expect(verdict(withExits({ 'run-1': 108, 'run-2': 108 }))).toMatchObject({
    sentence: 'both runners: pod/run-2-mz48v: exit code 108: the script called test.abort()',
    logRunner: 1,
  })
  const { jobs, ...seen } = SEEN.NODE_LOST
  const failedAt = (lastTransitionTime: string) => ({
    failed: 1,
    conditions: [{ type: 'Failed', status: 'True', lastTransitionTime }],
  })
  const gone = jobs.map((job, index) => ({ ...job, status: failedAt(`2026-11-22T10:54:1${1 - index}Z`) }))
  expect(verdict({ ...seen, jobs: gone })).toMatchObject({
    sentence: expect.stringContaining('pod/run-2-shg75'),
  })
  const { pods } = withExits({ 'run-1': 108, 'run-2': 108 })
  const many = ['run-3', 'run-4', 'run-5', 'run-6'].map((name) => buildPod(name, pods[1]?.status))
  const text = (parallelism: number) => {
    const found = verdict({ ...SEEN.ABORTED, pods: [...pods, ...many] }, { parallelism })
    return found.kind === 'failed' ? found.sentence.split(': ')[0] : found.kind
  }
  expect([3, 4, 7].map(text)).toEqual(['all 3 runners', 'all 4 runners', '6 of 7 runners'])
})

test('a results pod that is gone, or has ended, ends the load, unless all runners have ended', () => {
  const under = (pods: readonly PodView[]) => ({ ...SEEN.UNDER_WAY, pods: [...SEEN.UNDER_WAY.pods, ...pods] })
  expect(verdict(under([]), { resultsPod: 'run-results' })).toMatchObject({
    kind: 'failed',
    sentence: 'pod/run-results: the pod was deleted',
    hint: 'What runners had not sent to it is lost: run it again.',
  })
  expect(verdict(under(SEEN.EVICTED.pods), { resultsPod: 'fat' })).toMatchObject({
    sentence: 'pod/fat: Evicted: Usage of EmptyDir volume "t" exceeds the limit "1Mi"',
  })
  const ended = withExits({ 'run-1': 0, 'run-2': 0 })
  expect(verdict(ended, { resultsPod: 'run-results' })).toEqual({ kind: 'ended' })
})

test('a collector that is restarted in its pod ends nothing, unless the pod is deleted', () => {
  const pods = [...SEEN.UNDER_WAY.pods, ...SEEN.RESTARTING.pods]
  expect(verdict({ ...SEEN.UNDER_WAY, pods }, { resultsPod: 'run-results' })).toEqual({ kind: 'running' })
  const deleted = pods.map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-11-22T11:31:15Z' },
  }))
  expect(verdict({ ...SEEN.UNDER_WAY, pods: deleted }, { resultsPod: 'run-results' }).kind).toBe('failed')
})

test.each<[string, object, expected: object]>([
  ['is ready', { conditions: [{ type: 'Ready', status: 'True' }] }, { kind: 'running' }],
  ['is not ready yet', {}, { kind: 'waiting', why: 'the results pod to become ready' }],
  [
    'waits for its image',
    { containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'timeout' } } }] },
    { kind: 'waiting', why: 'the results pod: pod/p: ErrImagePull: timeout' },
  ],
  [
    'cannot be made',
    {
      containerStatuses: [
        { state: { waiting: { reason: 'CreateContainerConfigError', message: 'runAsNonRoot' } } },
      ],
    },
    { kind: 'failed', sentence: 'the results pod: pod/p: CreateContainerConfigError: runAsNonRoot' },
  ],
  [
    'has exited',
    { containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
    { kind: 'failed', sentence: 'the results pod: pod/p has exited with code 0' },
  ],
])('a single pod that %s', (_, status, expected) => {
  const about = { role: 'the results pod', namespace: 'loads', events: [], startMs: START_MS }
  expect(diagnosePod(buildPod('p', status), { ...about, waitedMs: 0 })).toMatchObject(expected)
  const late = diagnosePod(buildPod('p', status), { ...about, waitedMs: START_MS })
  expect(late.kind).toBe('conditions' in status ? 'running' : 'failed')
  expect(diagnosePod(null, { ...about, waitedMs: 0 }).kind).toBe('failed')
})

function verdict(seen: Seen, over: Partial<DiagnoseOptions> = {}) {
  return diagnose(options(seen, over)).verdict
}

function options(seen: Seen, over: Partial<DiagnoseOptions> = {}): DiagnoseOptions {
  const about = { name: 'run', namespace: 'loads', parallelism: 2, resultsPod: null, isStopping: false }
  return { ...seen, ...about, waitedMs: 5_000, startMs: START_MS, ...over }
}

function buildPod(job: string, status: PodView['status'] = {}): PodView {
  return { metadata: { name: job, labels: { 'job-name': job } }, status }
}

/** Runners with these exit codes, the first one second after the second. */
function withExits(exits: Record<string, number>): Seen {
  const pods = SEEN.ABORTED.pods.map((pod) => {
    const job = pod.metadata.labels?.['job-name'] ?? ''
    const exitCode = exits[job]
    if (exitCode === undefined) return pod
    const finishedAt = `2026-11-22T10:32:0${job === 'run-1' ? 1 : 0}Z`
    return { ...pod, status: { containerStatuses: [{ state: { terminated: { exitCode, finishedAt } } }] } }
  })
  return { ...SEEN.ABORTED, pods }
}

import { expect, test } from 'vitest'
import { type EventView, jobStanding, type PodView, podStanding } from './pod-standing.ts'

test.each([
  ['InvalidImageName', 'invalid reference format', false],
  ['CrashLoopBackOff', 'back-off 10s restarting failed container', false],
  ['ErrImagePull', 'localhost:5001/breakwater:1: not found', false],
  ['ImagePullBackOff', 'failed with status code [manifests 1]: 401 Unauthorized', false],
  ['ErrImagePull', 'dial tcp: i/o timeout', true],
  ['CreateContainerConfigError', 'secret "nothing" not found', false],
  ['CreateContainerError', 'container has runAsNonRoot and image will run as root', false],
  ['RunContainerError', 'context deadline exceeded', true],
  ['ReasonOfTomorrow', 'not found', true],
])('a container that waits by %s: %s: may heal: %s', (reason, message, mayHeal) => {
  const pod = podWith({ containerStatuses: [{ state: { waiting: { reason, message } } }] })
  expect(standing(pod)).toMatchObject({ at: 'stuck', problem: { says: `${reason}: ${message}`, mayHeal } })
})

const QUOTA = 'exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4'
test.each([
  ['pods "x" is forbidden: maximum memory usage per Container is 64Mi, but limit is 128Mi', false],
  ['pods "x" is forbidden: [minimum cpu usage per Pod is 1, but request is 100m]', false],
  [
    'pods "x" is forbidden: cpu max limit to request ratio per Container is 1, but provided ratio is 2.0',
    false,
  ],
  ['pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true', false],
  ['pods "x" is forbidden: failed quota: q: must specify limits.cpu for: k6', false],
  ['admission webhook "policy.example" denied the request: images must be signed', false],
  ['pods "x" is forbidden: error looking up service account a/b: serviceaccount "b" not found', true],
  ['Internal error occurred: failed calling webhook "x.example": context deadline exceeded', true],
  [`pods "x" is forbidden: ${QUOTA}`, true],
])('a Job without a pod: %s: may heal: %s', (said, mayHeal) => {
  const message = `Error creating: ${said}`
  const events = [
    event({ reason: 'FailedCreate', message: 'an older one', lastTimestamp: '2026-11-22T10:30:00Z' }),
    event({ reason: 'FailedCreate', message, lastTimestamp: '2026-11-22T10:30:01Z' }),
    event({ reason: 'Suspended', lastTimestamp: '2026-11-22T10:30:02Z' }),
    { ...event({ reason: 'FailedCreate', message: 'of another' }), involvedObject: { uid: 'other' } },
  ]
  const jobs = [{ metadata: { name: 'run-1', uid: 'u' }, status: {} }]
  const about = { jobs, pods: [], events, isRunner: true, isStopping: false }
  const problem = { object: 'job/run-1', says: `FailedCreate: ${message}`, event: '', mayHeal }
  expect(jobStanding('run-1', about)).toMatchObject({ at: 'stuck', problem })
})

const EVICTION = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'drained',
}
const LOST = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }
const GOING = '2026-11-22T12:24:00Z'
const exited = (exitCode: number, reason = 'Error') => [{ state: { terminated: { exitCode, reason } } }]

test.each<[says: string, PodView['status'], deletionTimestamp?: string]>([
  ['DeadlineExceeded: too long', { phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' }],
  ['NodeLost', { phase: 'Unknown', reason: 'NodeLost', containerStatuses: exited(0) }],
  ['NodeStatusUnknown', { phase: 'Running', conditions: [LOST] }],
  ['phase Unknown', { phase: 'Unknown' }],
  ['the pod was deleted', { phase: 'Running', containerStatuses: [{ state: { running: {} } }] }, GOING],
  ['the pod was deleted', { containerStatuses: exited(105) }, GOING],
  ['EvictionByEvictionAPI: drained', { containerStatuses: exited(137), conditions: [EVICTION] }],
  ['OOMKilled (exit code 137)', { containerStatuses: exited(137, 'OOMKilled'), conditions: [EVICTION] }],
  ['exit code 137: SIGKILL', { containerStatuses: exited(137) }],
  [
    'exit code 107: the script threw an exception',
    { containerStatuses: exited(107), conditions: [EVICTION] },
  ],
])('a pod that has failed: %s', (says, status, deletionTimestamp) => {
  const pod = podWith(status, deletionTimestamp === undefined ? {} : { deletionTimestamp })
  const see = says.startsWith('exit code 107')
    ? 'log'
    : says === 'the pod was deleted'
      ? 'events'
      : 'describe'
  expect(standing(pod)).toMatchObject({
    at: 'failed',
    problem: { object: 'pod/p', says, see, mayHeal: false },
  })
})

test('a pod that was deleted to stop it goes on to its end', () => {
  const pod = podWith({ containerStatuses: [{ state: { running: {} } }] }, { deletionTimestamp: GOING })
  expect(podStanding(pod, { events: [], isRunner: true, isStopping: true })).toEqual({ at: 'running' })
})

test('a Job that succeeded has ended, though its pod is gone', () => {
  const jobs = [{ metadata: { name: 'run-1' }, status: { succeeded: 1 } }]
  const about = { jobs, pods: [], events: [], isRunner: true, isStopping: false }
  expect(jobStanding('run-1', about)).toEqual({ pod: null, at: 'ended' })
})

test('a pending pod has not failed, whatever its reason', () => {
  expect(standing(podWith({ phase: 'Pending', reason: 'ReasonOfTomorrow' }))).toEqual({ at: 'waiting' })
})

test('only a warning that is the last event explains a pod that waits', () => {
  const mount = event({ reason: 'FailedMount', message: 'no volume', lastTimestamp: '2026-11-22T10:30:00Z' })
  const aside = event({ reason: 'DNSConfigForming', lastTimestamp: '2026-11-22T10:30:01Z' })
  const pulling = { ...event({ reason: 'Pulling', lastTimestamp: '2026-11-22T10:30:02Z' }), type: 'Normal' }
  expect(standing(podWith({}), [aside, mount])).toMatchObject({ problem: { says: 'FailedMount: no volume' } })
  expect(standing(podWith({}), [pulling, aside, mount])).toEqual({ at: 'waiting' })
  const later = event({ reason: 'Later', lastTimestamp: null, eventTime: '2026-11-22T10:30:03.1Z' })
  expect(standing(podWith({}), [later, pulling])).toMatchObject({ problem: { says: 'Later' } })
  const other = { ...mount, involvedObject: { name: 'p', uid: 'an older pod of that name' } }
  expect(standing(podWith({}), [other])).toEqual({ at: 'waiting' })
})

test('an event that repeats what the pod says is left out', () => {
  const waiting = { reason: 'ErrImagePull', message: 'pulling: no route' }
  const pod = podWith({ containerStatuses: [{ state: { waiting } }] })
  const findEvent = (message: string) => {
    const found = standing(pod, [event({ reason: 'Failed', message })])
    return 'problem' in found ? found.problem.event : undefined
  }
  expect(findEvent('Failed to pull image: no route')).toBe('')
  expect(findEvent('Error: ImagePullBackOff')).toBe('')
  expect(findEvent('no space left')).toBe('Failed: no space left')
})

test('text of the cluster cannot control a terminal', () => {
  const red = { ...event({ reason: 'FailedMount', message: '\u001b[31mred\nline' }) }
  expect(standing(podWith({}), [red])).toMatchObject({
    problem: { says: 'FailedMount: \\u001b[31mred line' },
  })
})

function standing(pod: PodView, events: readonly EventView[] = []) {
  return podStanding(pod, { events, isRunner: true, isStopping: false })
}

function podWith(status: PodView['status'] = {}, metadata: Partial<PodView['metadata']> = {}): PodView {
  return { metadata: { name: 'p', uid: 'u', ...metadata }, status }
}

function event(about: Omit<EventView, 'involvedObject'>): EventView {
  return { involvedObject: { uid: 'u' }, type: 'Warning', ...about }
}

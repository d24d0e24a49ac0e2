import { expect, test } from 'vitest'
import type { PodView } from './cluster-view.ts'
import { diagnosePod } from './diagnose-pod.ts'
import type { Seen } from './test-seen.ts'
import { NO_SECRET_TO_MOUNT } from './test-seen-not-made.ts'
import { AS_ROOT, EVICTED, PAST_DEADLINE } from './test-seen-pods.ts'
import { UNDER_WAY } from './test-seen-running.ts'

const [running] = UNDER_WAY.pods
const at = (waitedMs: number, { events }: Pick<Seen, 'events'> = { events: [] }) => ({
  role: 'the results pod',
  events,
  waitedMs,
  startMs: 60_000,
})

test('a pod that runs is waited for until it is ready', () => {
  expect(diagnosePod(withReady('True'), at(0))).toEqual({ kind: 'running' })
  expect(diagnosePod(withReady('False'), at(59_999))).toEqual({
    kind: 'waiting',
    why: 'the results pod to become ready',
  })
  expect(diagnosePod(withReady('False'), at(60_000))).toMatchObject({
    kind: 'failed',
    sentence: 'the results pod: it did not become ready in time',
  })
})

test('a pod that cannot run is given up at once, one that may yet run when the time is over', () => {
  expect(diagnosePod(only(AS_ROOT), at(0))).toMatchObject({
    kind: 'failed',
    sentence: expect.stringMatching(
      /^the results pod: the container cannot be made: container has runAsNonRoot and image will run as root/,
    ),
  })
  const sentence =
    'the results pod: MountVolume.SetUp failed for volume "config" : secret "nothing" not found'
  expect(diagnosePod(only(NO_SECRET_TO_MOUNT), at(0, NO_SECRET_TO_MOUNT))).toEqual({
    kind: 'waiting',
    why: sentence,
  })
  expect(diagnosePod(only(NO_SECRET_TO_MOUNT), at(60_000, NO_SECRET_TO_MOUNT))).toMatchObject({ sentence })
})

test('a pod that has ended, however, does not serve', () => {
  expect(diagnosePod(only(EVICTED), at(0))).toMatchObject({
    sentence: 'the results pod: evicted: Usage of EmptyDir volume "t" exceeds the limit "1Mi"',
  })
  expect(diagnosePod(only(PAST_DEADLINE), at(0))).toMatchObject({ kind: 'failed' })
  expect(diagnosePod(null, at(0))).toMatchObject({ sentence: 'the results pod: the pod was deleted' })
  const terminated = { exitCode: 0 }
  expect(
    diagnosePod(
      { metadata: { name: 'p' }, status: { containerStatuses: [{ state: { terminated } }] } },
      at(0),
    ),
  ).toMatchObject({ sentence: 'the results pod: it has ended' })
})

function withReady(status: string): PodView {
  if (running === undefined) throw new Error('no pod was seen')
  return { ...running, status: { ...running.status, conditions: [{ type: 'Ready', status }] } }
}

function only({ pods }: Seen): PodView {
  const [pod] = pods
  if (pod === undefined) throw new Error('no pod was seen')
  return pod
}

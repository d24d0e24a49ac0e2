import { expect, test } from 'vitest'
import { getObjectiveKind, type Objective, type ObjectiveKind } from '../contract/slo.ts'
import { capacitySlo } from './judge-slo.ts'

const LATENCY: Objective = { routeGroup: '*', quantile: 0.95, latencyMsMax: 250 }

test.each<{ what: string; given: Objective[]; added: ObjectiveKind[] }>([
  { what: 'latency alone', given: [LATENCY], added: ['errors', 'rate-limited', 'dropped'] },
  {
    what: 'errors of all requests',
    given: [{ routeGroup: '*', errorRateMax: 0.2 }],
    added: ['rate-limited', 'dropped'],
  },
  {
    what: 'errors of one group, which says nothing of the others',
    given: [{ routeGroup: 'pools', errorRateMax: 0.2 }],
    added: ['errors', 'rate-limited', 'dropped'],
  },
  {
    what: 'all three, by window',
    given: [
      { routeGroup: '*', errorRateMax: 0.2, windowSeconds: 1 },
      { routeGroup: '*', rateLimitedRateMax: 0.2 },
      { droppedRateMax: 0 },
    ],
    added: [],
  },
])('$what', ({ given, added }) => {
  const { name, objectives } = capacitySlo({ name: 'mine', objectives: given })
  expect(name).toBe('mine')
  expect(objectives.slice(0, given.length)).toEqual(given)
  expect(objectives.slice(given.length).map(getObjectiveKind)).toEqual(added)
})

test.each(['sockets', 'subscriptions', 'slow-readers'] as const)(
  '%s are held, so no iteration is dropped',
  (axis) => {
    const { objectives } = capacitySlo({ name: 'mine', objectives: [LATENCY] }, axis)
    expect(objectives.map(getObjectiveKind)).toEqual(['latency', 'errors', 'rate-limited'])
  },
)

test('open sockets send no requests, so nothing is added about requests', () => {
  const { objectives } = capacitySlo({ name: 'mine', objectives: [LATENCY] }, 'events')
  expect(objectives).toEqual([LATENCY])
})

test('after a cut, a target may reject as long as it recovers', () => {
  const objectives: Objective[] = [LATENCY, { quantile: 0.99, recoverMsMax: 10_000 }]
  expect(capacitySlo({ name: 'storm', objectives }, 'sockets').objectives).toEqual(objectives)
})

test('what was added is not added again', () => {
  const once = capacitySlo({ name: 'mine', objectives: [LATENCY] })
  expect(capacitySlo(once)).toEqual(once)
})

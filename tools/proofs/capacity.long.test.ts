import { expect, test } from 'vitest'
import type { Capacity } from '../../contract/capacity.ts'
import { generatorProblem, knownEventsProblem, knownRateProblem, searchOnce } from './capacity.ts'
import { followRooms } from './follow-rooms.ts'

const SHORT = ['--trial-duration', '2s', '--max-duration', '30s']
const ONE_STORM = ['--max-duration', '45s']
const TIMEOUT_MS = 180_000

// Results on a busy machine are no test criterion: see `npm run bench capacity`.
test(
  'the reported capacity never exceeds that of the target',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--service-rate', '120'],
      search: ['--from', '100', ...SHORT],
    })
    expect(capacity.trials.length).toBeGreaterThan(2)
    expect(capacity.highestPassingRate ?? 0).toBeLessThanOrEqual(132)
    expect(capacity.lowestFailingRate).not.toBeNull()
    expect(capacity.trials.some(({ outcome, rate }) => outcome === 'pass' && rate > 132)).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'if the generator saturates first, there is no capacity, only a lower bound',
  async () => {
    const few = ['--max-vus', '2', '--strict', ...SHORT]
    const ended = await searchOnce({ up: ['--faults', 'base-20ms'], search: ['--from', '50', ...few] })
    const { rate, limitedBy, statement } = ended.capacity
    expect([ended.exitCode, rate, limitedBy]).toEqual([4, null, 'generator'])
    expect(statement).toMatch(/^generator-limited, .*all 2 VUs were busy, at latencies within the limits/)
  },
  TIMEOUT_MS,
)

test(
  'no more sockets are reported than the stub opens',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--max-sockets', '120', '--no-rate-limit'],
      search: ['--axis', 'sockets', '--from', '100', '--to', '200', ...SHORT],
    })
    const { axis, trials, highestPassingRate } = capacity
    expect(axis).toBe('sockets')
    expect(trials[0]).toMatchObject({ axis: 'sockets', rate: 100 })
    expect(trials[0]?.sockets?.served).toBeGreaterThan(0)
    expect(trials.some(({ memory }) => memory?.kind === 'resident' && memory.sockets >= 100)).toBe(true)
    expect(Math.max(...trials.map(({ throughput }) => throughput))).toBeLessThanOrEqual(120)
    expect(highestPassingRate ?? 0).toBeLessThanOrEqual(120)
    expect(trials.some(({ outcome, rate }) => outcome === 'pass' && rate > 121)).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'no more events are reported than the stub sends',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--fan-out-rate', '300', '--world', 'volatile', '--no-rate-limit'],
      search: ['--axis', 'events', '--from', '14', '--to', '60', ...SHORT],
    })
    const { axis, trials, eventsPerSecond } = capacity
    expect(axis).toBe('events')
    expect(trials[0]).toMatchObject({ axis: 'events', rate: 14 })
    expect(trials[0]?.sockets?.eventsPerSecond).toBeGreaterThan(0)
    // Events that waited when the first second began.
    expect(Math.max(...trials.map(({ sockets }) => sockets?.eventsPerSecond ?? 0))).toBeLessThan(390)
    expect(eventsPerSecond ?? 0).toBeLessThanOrEqual(330)
  },
  TIMEOUT_MS,
)

test(
  'no more subscriptions are reported than those whose events the stub sends in time',
  async () => {
    const most = { subscriptions: 0, ofOneSocket: 0 }
    const { capacity } = await searchOnce({
      up: ['--fan-out-rate', '300', '--world', 'volatile', '--no-rate-limit'],
      search: ['--axis', 'subscriptions', '--from', '640', '--to', '2560', ...SHORT],
      follow: (control) => followRooms(control, most),
    })
    const { axis, trials } = capacity
    expect(axis).toBe('subscriptions')
    expect(most.ofOneSocket).toBe(32)
    expect(most.subscriptions).toBeGreaterThanOrEqual(640)
    expect(most.subscriptions).toBeLessThanOrEqual(Math.max(...trials.map(({ rate }) => rate)))
    expect(trials[0]).toMatchObject({ axis: 'subscriptions', rate: 640, sockets: { served: 20 } })
    expect(trials[0]?.throughput).toBeGreaterThan(600)
    // Each subscription gets about half an event per second.
    expect(Math.max(...trials.map(({ sockets }) => sockets?.eventsPerSecond ?? 0))).toBeLessThan(390)
    expect(trials.some(({ outcome, rate }) => outcome === 'pass' && rate > 1280)).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'slow readers that take the time of the stub fail, because normal sockets get their events late',
  async () => {
    const { capacity } = await searchOnce({
      // A socket gets about 16 events per second, so this is enough for the 20 normal ones alone.
      up: ['--fan-out-rate', '400', '--world', 'volatile', '--no-rate-limit'],
      search: ['--axis', 'slow-readers', '--from', '40', '--to', '40', ...SHORT],
    })
    const { axis, trials } = capacity
    expect(axis).toBe('slow-readers')
    expect(trials[0]).toMatchObject({ axis: 'slow-readers', rate: 40, sockets: { served: 20 } })
    expect(trials.map(({ outcome }) => outcome)).not.toContain('pass')
  },
  TIMEOUT_MS,
)

test(
  'slow readers read nothing after they have joined their rooms',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--world', 'volatile', '--no-rate-limit'],
      search: ['--axis', 'slow-readers', '--from', '40', '--to', '40', ...SHORT],
    })
    const { messagesPerSecond = 0, eventsPerSecond = 0 } = capacity.trials[0]?.sockets ?? {}
    expect(eventsPerSecond).toBeGreaterThan(0)
    // All 60 sockets get as many, and k6 counts the messages of all, but events only of the 20 normal ones.
    expect(messagesPerSecond).toBeLessThan(2 * eventsPerSecond)
  },
  TIMEOUT_MS,
)

test(
  'of sockets that are cut at once, those that are back in time are counted',
  async () => {
    const { capacity } = await searchOnce({
      up: ['--no-rate-limit'],
      search: [
        '--axis',
        'sockets',
        '--recover-within',
        '10s',
        '--from',
        '1000',
        '--to',
        '1000',
        ...ONE_STORM,
      ],
    })
    const [trial] = capacity.trials
    expect(trial).toMatchObject({ axis: 'sockets', rate: 1000, recoverWithinSeconds: 10 })
    const curve = trial?.sockets?.recovery ?? []
    expect(curve.map(({ ms }) => ms)).toEqual(curve.map(({ ms }) => ms).toSorted((a, b) => a - b))
    expect(curve.length).toBeGreaterThan(0)
    expect(curve.at(-1)?.ms).toBeLessThanOrEqual(10_200)
    expect(trial?.throughput).toBeLessThanOrEqual(1000)
  },
  TIMEOUT_MS,
)

const FOUND = {
  rate: 380,
  limitedBy: 'target',
  statement: '380 iterations/s, sustained for 20 s',
} as Capacity // as: the proof reads only these
const LIMITED = {
  rate: null,
  limitedBy: 'generator',
  statement: 'generator-limited, at least 70 iterations/s; at 80: …',
} as Capacity // as: the proof reads only these

test.each([
  ['a rate within a tenth', { exitCode: 0, capacity: FOUND }, undefined],
  ['another rate', { exitCode: 0, capacity: { ...FOUND, rate: 359 } }, 'found 359; expected 400 ± 10 %'],
  ['none', { exitCode: 0, capacity: LIMITED }, 'found null; expected 400 ± 10 %'],
  ['another exit code', { exitCode: 1, capacity: FOUND }, 'exit code 1; expected 0'],
  [
    'another limit',
    { exitCode: 0, capacity: { ...FOUND, limitedBy: 'slo' as const } },
    'limited by slo; expected: by target',
  ],
  [
    'another part of the target',
    { exitCode: 0, capacity: FOUND, part: 'app' },
    'limited by the part app; expected: queue',
  ],
])('the proof of a known rate: %s', (_, ended, problem) => {
  const part = 'queue'
  expect(knownRateProblem({ part, seconds: 1, ...ended }, { rate: 400, limitedBy: 'target', part })).toBe(
    problem,
  )
})

test.each([
  ['within a tenth', { overloadEventsPerSecond: 910 }, undefined],
  [
    'another limit',
    { overloadEventsPerSecond: 890 },
    'found 890 events/s under overload; expected 1000 ± 10 %',
  ],
  ['none', { overloadEventsPerSecond: null }, 'found null events/s under overload; expected 1000 ± 10 %'],
  [
    'more in time than the stub sends',
    { overloadEventsPerSecond: 1000, eventsPerSecond: 1200 },
    '1200 events/s in time; expected at most 1100',
  ],
])('the proof of known events: %s', (_, found, problem) => {
  expect(
    knownEventsProblem({ exitCode: 0, capacity: { ...FOUND, ...found }, part: null, seconds: 1 }, 1000),
  ).toBe(problem)
})

test.each([
  ['correct', { exitCode: 0, capacity: LIMITED }, undefined],
  [
    'a rate as if the target were the limit',
    { exitCode: 0, capacity: FOUND },
    'limited by target; expected: by the generator',
  ],
  ['an unexpected rate', { exitCode: 0, capacity: { ...LIMITED, rate: 70 } }, 'found 70; expected no rate'],
  ['another exit code', { exitCode: 4, capacity: LIMITED }, 'exit code 4; expected 0'],
  [
    'nothing known',
    { exitCode: 0, capacity: { ...LIMITED, statement: 'generator-limited, no result for the target' } },
    'unexpected statement: generator-limited, no result for the target',
  ],
])('the proof of a generator that is limited: %s', (_, ended, problem) => {
  expect(generatorProblem({ ...ended, part: null, seconds: 1 })).toBe(problem)
})

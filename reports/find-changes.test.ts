import { expect, test } from 'vitest'
import type { Verdict } from '../contract/finding.ts'
import type { ObjectiveResult, RuleResult } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { sampleCapacity } from './capacity/sample-capacity.ts'
import { changesSentence, findChanges, type Later } from './find-changes.ts'
import type { Earlier, EarlierReport } from './find-earlier-run.ts'
import { SYNTHETIC_RUN } from './synthetic-run.ts'

const OBJECTIVE: ObjectiveResult = {
  kind: 'errors',
  routeGroup: '*',
  errorRateMax: 0.01,
  observedErrorRate: 0,
  windowSeconds: null,
  windows: null,
  verdict: 'pass',
  samples: 100,
  reason: null,
}

const NONE = { p50: null, p95: null, p99: null }

const groups = (p95: Later['latency']['groups'][number]['p95']) => [
  {
    routeGroup: '*',
    count: 300,
    failed: 0,
    p50: 1,
    p95,
    p99: null,
    max: 9,
    responseTime: NONE,
    lateness: null,
  },
]

function rules(verdicts: Record<string, Verdict>): RuleResult[] {
  const others = { expected: '', observed: '', evidence: [], reason: null, needs: null, waiver: null }
  return Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict, ...others }))
}

function earlier({
  run = {},
  report = {},
}: {
  run?: Partial<Run>
  report?: Partial<EarlierReport>
} = {}): Earlier {
  const sample = {
    verdict: 'pass',
    rules: [],
    slo: null,
    capacity: null,
    latency: { groups: groups(20) },
  } as const
  return {
    found: {
      folder: 'before',
      run: { ...SYNTHETIC_RUN, ...run },
      report: { ...sample, rules: [], ...report },
    },
    reason: null,
  }
}

function later({ run = {}, ...others }: Partial<Omit<Later, 'run'>> & { run?: Partial<Run> } = {}): Later {
  return {
    dir: '/somewhere/runs/now',
    run: { ...SYNTHETIC_RUN, ...run },
    verdict: 'pass',
    rules: [],
    slo: null,
    capacity: null,
    latency: { groups: groups(30), routes: [] },
    ...others,
  }
}

test('the capacity of a search over sockets is a number of sockets', () => {
  const limits = { secondsMax: 300, requestsMax: null, stages: null, rateRequired: null, rateMax: null }
  const search = {
    ...limits,
    relativeWidth: 0.05,
    trialSeconds: 5,
    finalSeconds: 5,
    axis: 'sockets' as const,
  }
  const run = { search }
  const changes = findChanges(
    later({ run, capacity: { ...sampleCapacity(), rate: 700 } }),
    earlier({ run, report: { capacity: { rate: 900 } } }),
  )
  expect(changes.facts).toEqual([{ name: 'capacity', before: '900 sockets', after: '700 sockets' }])
})

test('gives only the reason without an earlier run', () => {
  const changes = findChanges(later(), { found: null, reason: 'no earlier run' })
  expect(changes).toMatchObject({
    since: null,
    reason: 'no earlier run',
    facts: [],
    latency: [],
    compareCommand: null,
  })
  expect(changesSentence(changes)).toBe('Nothing to compare with: no earlier run.')
})

test('equal runs have no changes, and list both p95 without a verdict', () => {
  const changes = findChanges(later(), earlier())
  expect(changes).toEqual({
    since: { folder: 'before', startedAt: SYNTHETIC_RUN.startedAt, verdict: 'pass' },
    reason: null,
    rules: { failing: [], passing: [], inconclusive: [], added: [], removed: [] },
    objectives: [],
    facts: [],
    latency: [{ routeGroup: '*', beforeMs: 20, afterMs: 30 }],
    latencyReason: null,
    compareCommand: 'breakwater compare runs/before runs/now',
  })
  expect(changesSentence(changes)).toBe('Since before (pass): no verdict, version or option changed.')
})

test('groups rules by their earlier and present verdict', () => {
  const before: Record<string, Verdict> = {
    a: 'pass',
    b: 'fail',
    c: 'inconclusive',
    d: 'pass',
    e: 'fail',
    f: 'pass',
  }
  const after: Record<string, Verdict> = {
    a: 'fail',
    b: 'pass',
    c: 'pass',
    d: 'skipped',
    e: 'fail',
    g: 'pass',
  }
  const changes = findChanges(
    later({ rules: rules(after) }),
    earlier({ report: { rules: Object.entries(before).map(([id, verdict]) => ({ id, verdict })) } }),
  )
  expect(changes.rules).toEqual({
    failing: ['a'],
    passing: ['b', 'c'],
    inconclusive: ['d'],
    added: ['g'],
    removed: ['f'],
  })
  expect(changesSentence(changes)).toBe(
    'Since before (pass): 1 rule newly failing; 2 rules passing again; 1 rule now inconclusive or skipped; 1 rule judged for the first time; 1 rule no longer judged.',
  )
})

test('lists objectives with a changed verdict; a changed limit is another objective', () => {
  const slo = (...objectives: ObjectiveResult[]) => ({ name: 'same', objectives })
  const changes = findChanges(
    later({
      slo: slo({ ...OBJECTIVE, verdict: 'fail' }, { ...OBJECTIVE, errorRateMax: 0.5, verdict: 'fail' }),
    }),
    earlier({ report: { slo: slo(OBJECTIVE) } }),
  )
  expect(changes.objectives).toEqual([
    { objective: 'errors of all requests at most 1 %', before: 'pass', after: 'fail' },
  ])
})

test.each<[string, Partial<Run>, Partial<Run>, string[], string[]]>([
  ['another seed', { seed: 7 }, { seed: 8 }, ['seed', '7', '8'], []],
  ['another mutant', {}, { mutant: 'ws-33-rooms' }, ['mutant', 'none', 'ws-33-rooms'], []],
  ['another k6', {}, { versions: { ...SYNTHETIC_RUN.versions, k6: '3' } }, ['k6', '2.2.0', '3'], ['k6']],
  ['another machine', { machine: 'a' }, { machine: 'b' }, ['machine', 'a', 'b'], ['machine']],
  [
    'another load',
    {},
    { load: { rate: 20, warmUpSeconds: 1, seconds: 5 } },
    ['load', 'none', '20 iterations/s for 5 s'],
    ['load'],
  ],
  [
    'another option',
    { command: 'breakwater smoke -o a --json' },
    { command: "breakwater smoke --rules 'a b' --output=b" },
    ['options', 'smoke', "smoke --rules 'a b'"],
    [],
  ],
  [
    'another host',
    { target: { ...SYNTHETIC_RUN.target, baseUrl: 'http://127.0.0.1:5' } },
    { target: { ...SYNTHETIC_RUN.target, baseUrl: 'http://staging.test:5' } },
    ['target', 'this machine', 'staging.test:5'],
    [],
  ],
])(
  'reports another %s, and compares latencies only if they are comparable',
  (_what, before, after, fact, apart) => {
    const changes = findChanges(later({ run: after }), earlier({ run: before }))
    expect(changes.facts.map(({ name, before, after }) => [name, before, after])).toEqual([fact])
    expect(changes.latencyReason).toBe(apart.length === 0 ? null : `different ${apart.join(', ')}`)
    expect(changes.latency).toHaveLength(apart.length === 0 ? 1 : 0)
  },
)

test('another local port is the same target', () => {
  const at = (baseUrl: string) => ({ target: { ...SYNTHETIC_RUN.target, baseUrl } })
  const changes = findChanges(
    later({ run: at('http://127.0.0.1:4') }),
    earlier({ run: at('http://localhost:5') }),
  )
  expect(changes.facts).toEqual([])
})

test.each([null, 'infinite' as const])('does not compare a p95 of %s', (p95) => {
  expect(findChanges(later({ latency: { groups: groups(p95), routes: [] } }), earlier()).latency).toEqual([])
})

test('does not compare a case, which is not a load', () => {
  const repro = { name: 'a-case', title: '', story: '' }
  expect(findChanges(later({ run: { repro } }), earlier({ run: { repro } })).compareCommand).toBeNull()
})

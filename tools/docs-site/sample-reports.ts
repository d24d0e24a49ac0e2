import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '../../contract/finding.ts'
import { RULES } from '../../contract/rules.ts'
import { RUN_FILES, type Run, type TimelineLine } from '../../contract/run.ts'
import { makeSyntheticCapacityRun, scalingTarget } from '../../reports/capacity/synthetic-capacity-run.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { writeComparison } from '../../reports/render-comparison.ts'
import { renderRun } from '../../reports/render-run.ts'
import { makeSteadyRun, makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'

/** In the root of the site. */
export const SAMPLES_FOLDER = 'sample-reports'

/** Makes a run folder with its report for each kind of run, and a comparison. The runs are synthetic and the same in every build. */
export async function renderSampleReports(folder: string): Promise<void> {
  await makeSmoke(join(folder, 'smoke'))
  await makeLoad(join(folder, 'load'))
  await makeCapacity(join(folder, 'capacity'))
  await makeCase(join(folder, 'case'))
  for (const run of ['smoke', 'load', 'capacity', 'case']) {
    await renderRun({ dir: join(folder, run), nowMs: SYNTHETIC_START * 1000 })
  }
  await makeComparison(join(folder, 'comparison'))
}

const TARGET = { name: 'exchange.example', wsUrl: 'wss://exchange.example/feed', control: false }
const SAMPLE: Partial<Run> = {
  target: { ...TARGET, baseUrl: 'https://exchange.example/api' },
  finishedAt: '2026-01-02T03:05:05Z',
}

const LOAD_SERIES = [
  { name: 'GET /explore/pools', route_group: 'explore' },
  { name: 'GET /pools/:id', route_group: 'pools' },
  { name: 'GET /swaps', route_group: 'swaps' },
].flatMap((tags) => [
  { metric: 'http_req_duration', type: 'trend' as const, tags: { ...tags, status: '200' } },
  { metric: 'http_reqs', type: 'counter' as const, tags: { ...tags, status: '200' } },
])

const SLO: Run['slo'] = {
  name: 'sample',
  objectives: [
    { routeGroup: '*', quantile: 0.95, latencyMsMax: 50 },
    { routeGroup: 'swaps', quantile: 0.99, latencyMsMax: 40 },
  ],
}

async function makeSmoke(dir: string): Promise<void> {
  const rules = RULES.filter(({ kind }) => kind === 'server')
  const findings = rules.map(({ id, expected }): Finding => {
    const passed = { finding: 1 as const, rule: id, scenario: 'smoke', at: 0, expected, evidence: [] }
    if (id !== 'ws.rooms.at-most-32') return { ...passed, verdict: 'pass', observed: expected }
    const evidence = ['> {"type":"subscribe","room":"pool:33"}', '< {"type":"subscribed","room":"pool:33"}']
    return { ...passed, verdict: 'fail', observed: 'the 33rd room was joined', evidence }
  })
  const run = {
    ...SAMPLE,
    id: 'smoke',
    command: 'breakwater smoke --target exchange.json',
    rules: rules.map(({ id }) => id),
    slo: SLO,
  }
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 20,
    samplesPerSecond: 10,
    series: LOAD_SERIES,
    run,
    findings,
  })
}

async function makeLoad(dir: string): Promise<void> {
  const command = 'breakwater load --target exchange.json --rate 120'
  const run = { ...SAMPLE, id: 'load', job: 'load', mix: 'reads', command, slo: SLO }
  await makeSyntheticRun({ dir, seed: 2, seconds: 60, samplesPerSecond: 40, series: LOAD_SERIES, run })
}

async function makeCapacity(dir: string): Promise<void> {
  const target = scalingTarget({ lambda: 60, sigma: 0.04, kappa: 0.002 })
  const trials = [30, 60, 110, 160, 220, 280, 340, 400, 800].map((rate) => ({ rate }))
  const command = 'breakwater capacity --target exchange.json'
  await makeSyntheticCapacityRun({
    dir,
    seed: 1,
    target,
    trials,
    run: { ...SAMPLE, id: 'capacity', command },
  })
}

async function makeCase(dir: string): Promise<void> {
  const repro = {
    name: 'refresh-race-two-tabs',
    title: 'Two tabs refresh at the same time',
    story:
      'The access session ends, and both tabs refresh with the same refresh token. The exchange ends the session.',
  }
  const findings: Finding[] = [
    {
      finding: 1,
      rule: 'auth.refresh.race-survives',
      verdict: 'fail',
      expected: 'the session continues',
      observed: '401 to both tabs',
      evidence: ['> POST /auth/refresh', '< 401'],
      scenario: repro.name,
      at: 0,
    },
  ]
  const command = `breakwater repro run ${repro.name}`
  const run = { ...SAMPLE, id: 'case', job: 'repro', command, rules: findings.map(({ rule }) => rule), repro }
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [], run, findings })
  const lines = TIMELINE.map((line, index) => `${JSON.stringify({ number: index + 1, ...line })}\n`)
  writeFileSync(join(dir, RUN_FILES.timeline), lines.join(''))
}

const TIMELINE: readonly Omit<TimelineLine, 'number'>[] = [
  { atMs: 0, actor: 'tab-1', kind: 'step', text: 'both tabs sign in' },
  {
    atMs: 12,
    actor: 'exchange',
    kind: 'time',
    text: 'the clock moves by 15 minutes: the access session ends',
  },
  { atMs: 20, actor: 'tab-1', kind: 'sent', text: 'POST /auth/refresh' },
  { atMs: 21, actor: 'tab-2', kind: 'sent', text: 'POST /auth/refresh' },
  { atMs: 34, actor: 'tab-1', kind: 'received', text: '200: new tokens' },
  { atMs: 35, actor: 'tab-2', kind: 'received', text: '401' },
  { atMs: 50, actor: 'tab-1', kind: 'sent', text: 'GET /auth/me' },
  { atMs: 58, actor: 'tab-1', kind: 'received', text: '401: the session has ended' },
  {
    atMs: 60,
    actor: 'exchange',
    kind: 'verdict',
    text: 'fail: 401 to both tabs',
    rule: 'auth.refresh.race-survives',
  },
]

/** Five runs of each of two versions, the second of which reads pools 15 % slower. */
async function makeComparison(dir: string): Promise<void> {
  const numbers = [1, 2, 3, 4, 5]
  for (const number of numbers) {
    await makeSteadyRun(dir, `current/${number}`, { number, run: SAMPLE })
    await makeSteadyRun(dir, `candidate/${number}`, { number: number + 10, poolsMs: 23, run: SAMPLE })
  }
  const side = (label: string) => ({ label, dirs: numbers.map((number) => join(dir, label, String(number))) })
  await mkdir(dir, { recursive: true })
  await writeComparison(dir, await compareFolders({ a: side('current'), b: side('candidate') }))
}

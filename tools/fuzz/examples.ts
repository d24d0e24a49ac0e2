/** Valid files to damage, always the same: untrusted input is similar to them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Finding, VERDICTS } from '../../contract/finding.ts'
import { RUN_FILES, type Run, TIMELINE_KINDS, type TimelineLine } from '../../contract/run.ts'
import { makeSyntheticCapacityRun, queueTarget } from '../../reports/capacity/synthetic-capacity-run.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import type { Example } from './fuzz-case.ts'

export type Examples = {
  /** The files of one run folder each, without the folder's name. */
  runs: Readonly<Record<'smoke' | 'load' | 'again' | 'capacity' | 'repro', readonly Example[]>>
  profile: Example
  waivers: Example
  wallets: Example
  comparison: Example
}

const SLO = {
  name: 'fast',
  objectives: [
    { routeGroup: '*', quantile: 0.5, latencyMsMax: 20 },
    { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 100, windowSeconds: 2 },
    { routeGroup: '*', errorRateMax: 0.01 },
    { quantile: 0.95, feedDelayMsMax: 2000 },
  ],
}

const LOAD: Partial<Run> = {
  job: 'load',
  command: 'breakwater load --rate 20',
  mix: 'reads',
  slo: SLO,
  load: { rate: 20, warmUpSeconds: 1, seconds: 5 },
  machine: 'small',
}

const RULES = ['paging.limit.rejects-0', 'paging.limit.rejects-101', 'ws.rooms.at-most-32', 'own.mine']

export async function makeExamples(): Promise<Examples> {
  const runs = {
    smoke: await made((dir) =>
      makeSyntheticRun({
        ...{ dir, seed: 1, seconds: 4, samplesPerSecond: 3, series: SERIES },
        findings: RULES.map(buildFinding),
        run: {
          id: 'smoke-id',
          rules: RULES,
          customRules: { 'own.mine': 'It responds.' },
          waivers: [{ rule: 'paging.*', reason: 'known', until: '2026-12-31' }],
          slo: SLO,
        },
      }),
    ),
    load: await made((dir) => makeLoad(dir, { id: 'load-id', seed: 2 })),
    again: await made((dir) => makeLoad(dir, { id: 'again-id', seed: 3 })),
    capacity: await made(async (dir) => {
      const trials = [50, 100, 200, 120].map((rate) => ({ rate: rate / 10, seconds: 3 }))
      await makeSyntheticCapacityRun({
        dir,
        seed: 4,
        target: queueTarget(13),
        trials,
        run: { id: 'capacity-id' },
      })
    }),
    repro: await made((dir) =>
      makeSyntheticRun({
        ...{ dir, seed: 5, seconds: 1, samplesPerSecond: 1, series: SERIES.slice(0, 1) },
        findings: [buildFinding('ws.sync.answered', 1)],
        run: {
          id: 'repro-id',
          job: 'repro',
          command: 'breakwater repro run mute-socket',
          rules: ['ws.sync.answered'],
          repro: { name: 'mute-socket', title: 'A title', story: 'A story.' },
        },
      }),
    ),
  }
  const report = { path: RUN_FILES.reportJson, text: JSON.stringify(sampleReport()) }
  return {
    runs: {
      ...runs,
      load: [...runs.load, report],
      repro: [...runs.repro, { path: RUN_FILES.timeline, text: lines(TIMELINE) }],
    },
    profile: { path: 'profile.json', text: JSON.stringify(PROFILE) },
    waivers: {
      path: 'waivers.json',
      text: JSON.stringify([{ rule: 'paging.*', reason: 'known', until: '2026-12-31' }]),
    },
    wallets: { path: 'wallets.json', text: JSON.stringify([WALLET, { ...WALLET, admin: true }]) },
    comparison: { path: RUN_FILES.comparisonJson, text: '{"version":1,"verdict":"same"}' },
  }
}

/** A file of fixtures/, under a name that a user would choose. */
export function fixture(
  folder: 'cases' | 'faults' | 'mixes' | 'slos' | 'stages' | 'worlds',
  name: string,
): Example {
  return { path: `${name}.json`, text: readFileSync(projectPath(`fixtures/${folder}/${name}.json`), 'utf8') }
}

const SERIES = [
  {
    metric: 'http_req_duration',
    type: 'trend',
    tags: { route_group: 'pools', name: 'GET /pools', status: '200' },
  },
  {
    metric: 'http_req_duration',
    type: 'trend',
    tags: { route_group: 'explore', name: 'GET /explore', status: '503' },
  },
  { metric: 'http_req_failed', type: 'rate', tags: { route_group: 'pools', name: 'GET /pools' } },
  { metric: 'iterations', type: 'counter', tags: {} },
  { metric: 'dropped_iterations', type: 'counter', tags: {} },
  { metric: 'feed_delay_lower_bound', type: 'trend', tags: {} },
  { metric: 'feed_delay_upper_bound', type: 'trend', tags: {} },
  { metric: 'feed_sockets', type: 'gauge', tags: {} },
  { metric: 'ws_msgs_received', type: 'counter', tags: {} },
  { metric: 'generator_lag', type: 'trend', tags: { trial: '1' } },
] as const

const PROFILE = {
  name: 'mine',
  baseUrl: '{REST}',
  wsUrl: '{FEED}',
  control: '{CONTROL}',
  metrics: '{REST}/metrics',
  headers: { 'X-Key': 'value' },
  origin: 'http://127.0.0.1',
  credentials: { wallets: 'wallets.json', apiTokens: { env: 'BREAKWATER_API_TOKENS' } },
  choices: {
    expiry: 'rfc3339',
    publicPaths: ['/compliance'],
    rateLimit: { burst: 9, perSecond: 9, per: 'address' },
  },
  allow: { load: true, mutations: true },
}

const WALLET = {
  address: 'a1',
  privateKeyJwk: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', d: 'AAAA' },
  hasAccess: true,
  admin: false,
}

const TIMELINE: readonly TimelineLine[] = TIMELINE_KINDS.map((kind, index) => ({
  number: index + 1,
  atMs: index * 100,
  actor: index % 3 === 0 ? 'exchange' : `client ${index % 2}`,
  kind,
  text: `line ${index}`,
  ...(kind === 'finding' && { rule: 'ws.sync.answered' }),
  ...(kind === 'outcome' && { race: 1 }),
}))

async function makeLoad(dir: string, { id, seed }: { id: string; seed: number }): Promise<void> {
  await makeSyntheticRun({
    dir,
    seed,
    seconds: 6,
    samplesPerSecond: 20,
    series: SERIES,
    run: { ...LOAD, id },
  })
}

function buildFinding(rule: string, index: number): Finding {
  return {
    finding: 1,
    rule,
    verdict: VERDICTS[index % VERDICTS.length] ?? 'pass',
    expected: '400',
    observed: '200',
    evidence: ['> GET /pools?limit=0', '< 200 {"data":[]}'],
    reason: 'no witness',
    scenario: 'paging',
    at: SYNTHETIC_START * 1000 + index,
  }
}

async function made(make: (dir: string) => Promise<unknown>): Promise<Example[]> {
  const dir = mkdtempSync(join(tmpdir(), 'breakwater-example-'))
  try {
    await make(dir)
    return readdirSync(dir)
      .sort()
      .map((name) => ({ path: name, text: readFileSync(join(dir, name), 'utf8') }))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { makeSyntheticRun, type SyntheticSeries } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import { runChild, spread } from './measuring.ts'

const ROUNDS = 5
export const SECONDS = 3600

export const METRICS: readonly Pick<SyntheticSeries, 'metric' | 'type'>[] = [
  { metric: 'http_req_duration', type: 'trend' },
  { metric: 'http_req_waiting', type: 'trend' },
  { metric: 'http_req_receiving', type: 'trend' },
  { metric: 'http_reqs', type: 'counter' },
  { metric: 'http_req_failed', type: 'rate' },
]

const FEW = 20
const ROUTES = 12

/** 60 series each. The second workload has the most lines, the third the most samples per line. */
const WORKLOADS: readonly Workload[] = [
  {
    name: '12 routes with 5 metrics',
    series: buildSeries(ROUTES, METRICS),
    samplesPerSecond: FEW,
    targetSeconds: 1.5,
  },
  {
    name: '60 routes with http_req_duration',
    series: buildSeries(60, METRICS.slice(0, 1)),
    samplesPerSecond: FEW,
    targetSeconds: 1.5,
  },
  {
    name: '10 million requests, 12 routes with 5 metrics',
    series: buildSeries(ROUTES, METRICS),
    samplesPerSecond: Math.ceil(10_000_000 / (SECONDS * ROUTES)),
    targetSeconds: 2,
  },
]

type Workload = { name: string; series: SyntheticSeries[]; samplesPerSecond: number; targetSeconds: number }

/** The whole process, with the start of Node. */
type Cost = ReturnType<typeof runChild>

/** The report, next to processes that read the same file: one parses every line, one keeps nothing. */
type Round = { report: Cost; parse: Cost; read: Cost }

/** Cost of the report of a synthetic one-hour run, in a separate process each. */
export async function benchReport({ print }: { print: (line: string) => void }): Promise<void> {
  for (const workload of WORKLOADS) {
    const dir = await mkdtemp(path.join(tmpdir(), 'breakwater-bench-'))
    try {
      await makeSyntheticRun({
        dir,
        seed: 1,
        seconds: SECONDS,
        samplesPerSecond: workload.samplesPerSecond,
        series: workload.series,
      })
      const rounds = Array.from({ length: ROUNDS }, () => measure(dir))
      const seriesMb = await sizeMb(dir, RUN_FILES.series)
      print(
        `report of one hour, ${workload.name} (${seriesMb.toFixed(0)} MB), medians of ${ROUNDS} rounds (minimum to maximum):`,
      )
      for (const line of costLines(workload, rounds)) print(line)
      print(`  report.html ${(await sizeMb(dir, RUN_FILES.reportHtml)).toFixed(2)} MB (target 1.5)`)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
}

function measure(dir: string): Round {
  return {
    report: runChild(REPORT_SCRIPT, { RUN_DIR: dir }, AS_INSTALLED),
    parse: runChild(PARSE_SCRIPT, { RUN_DIR: dir }, AS_INSTALLED),
    read: runChild(READ_SCRIPT, { RUN_DIR: dir }, AS_INSTALLED),
  }
}

/** Without the loader of TypeScript, which a user does not have. */
const AS_INSTALLED: readonly string[] = []

/** The command, as built. Its exit code is that of the run. */
const REPORT_SCRIPT = `
  process.argv.splice(1, 2, 'breakwater', 'report', process.env.RUN_DIR)
  await import(${JSON.stringify(projectPath('dist/breakwater.js'))})
  process.exitCode = 0`

/** The limit of memory: Node itself, and the reading of the file in chunks of the same size. */
const READ_SCRIPT = `
  const { open } = await import('node:fs/promises')
  const file = await open(process.env.RUN_DIR + '/${RUN_FILES.series}')
  const buffer = Buffer.allocUnsafeSlow(2 ** 18)
  while ((await file.read(buffer)).bytesRead > 0);
  await file.close()`

// Also line by line, to compare the work per line.
export const PARSE_SCRIPT = `
  const { createReadStream } = await import('node:fs')
  let rest = ''
  for await (const chunk of createReadStream(process.env.RUN_DIR + '/${RUN_FILES.series}', { encoding: 'utf8' })) {
    const lines = (rest + chunk).split('\\n')
    rest = lines.pop()
    for (const line of lines) JSON.parse(line)
  }`

export function buildSeries(
  routes: number,
  metrics: readonly Pick<SyntheticSeries, 'metric' | 'type'>[],
): SyntheticSeries[] {
  return Array.from({ length: routes }, (_, route) => ({
    method: 'GET',
    name: `GET /route-${route}`,
    route_group: `group-${route % 6}`,
    scenario: 'synthetic',
    status: '200',
  })).flatMap((tags) => metrics.map((metric) => ({ ...metric, tags })))
}

function costLines({ targetSeconds }: Workload, rounds: readonly Round[]): string[] {
  const of = (figure: (round: Round) => number) => spread(rounds.map(figure))
  return [
    `  ${of(({ report }) => report.wallMs / 1000)} s (target ${targetSeconds}), ${of(({ report, parse }) => report.wallMs / parse.wallMs)} times the parsing alone`,
    `  peak ${of(({ report }) => report.rssMb)} MB (target 150), ${of(({ report, read }) => report.rssMb / read.rssMb)} times the ${of(({ read }) => read.rssMb)} MB of a process that only reads the file; the parsing alone ${of(({ parse }) => parse.rssMb)} MB`,
  ]
}

async function sizeMb(dir: string, file: string): Promise<number> {
  return (await stat(path.join(dir, file))).size / 1e6
}

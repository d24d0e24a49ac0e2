import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { makeSyntheticRun, type SyntheticSeries } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import { runChild } from './measuring.ts'

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

type ReportCost = {
  workload: Workload
  /** Medians over the rounds, for the whole command including the start of Node. */
  wallMs: number
  rssMb: number
  /** Relative to a bare process that reads series.ndjson and calls JSON.parse on every line. */
  ratioToParse: number
  htmlMb: number
}

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
      const cost = await measure(workload, dir)
      for (const line of costLines(cost, await sizeMb(dir, RUN_FILES.series))) print(line)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
}

async function measure(workload: Workload, dir: string): Promise<ReportCost> {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    report: runChild(REPORT_SCRIPT, { RUN_DIR: dir }),
    parse: runChild(PARSE_SCRIPT, { RUN_DIR: dir }),
  }))
  return {
    workload,
    wallMs: median(rounds.map(({ report }) => report.wallMs)),
    rssMb: median(rounds.map(({ report }) => report.rssMb)),
    ratioToParse: median(rounds.map(({ report, parse }) => report.wallMs / parse.wallMs)),
    htmlMb: await sizeMb(dir, RUN_FILES.reportHtml),
  }
}

/** As built, because users run no TypeScript. */
const REPORT_SCRIPT = `
  const { writeReport } = await import(${JSON.stringify(projectPath('dist/report.js'))})
  await writeReport(process.env.RUN_DIR)`

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

function costLines(cost: ReportCost, seriesMb: number): string[] {
  return [
    `report of one hour, ${cost.workload.name} (${seriesMb.toFixed(0)} MB), medians of ${ROUNDS} rounds:`,
    `  ${(cost.wallMs / 1000).toFixed(2)} s (target ${cost.workload.targetSeconds}), peak ${cost.rssMb.toFixed(0)} MB (target 150), ${cost.ratioToParse.toFixed(2)} times the parsing alone, report.html ${cost.htmlMb.toFixed(2)} MB (target 1.5)`,
  ]
}

async function sizeMb(dir: string, file: string): Promise<number> {
  return (await stat(path.join(dir, file))).size / 1e6
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

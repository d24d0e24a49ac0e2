import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { projectPath } from '../../scripts/project.ts'
import { quantile, runChild, spread } from './measuring.ts'
import { writeRunnerSeries } from './runner-series.ts'

const ROUNDS = 3

/** A load in a cluster: 20,000 requests/s for ten minutes. */
const LOAD = { runners: 100, seconds: 600, routes: 12, requestsPerSecond: 200 }
/** How many of the runners' files the baseline parses: all of them would take minutes. */
const PARSED = 10

/** Cost of merging the series of a hundred runners, in a separate process each, next to parsing their lines. */
export async function benchMergeRunners({ print }: { print: (line: string) => void }): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'breakwater-bench-'))
  try {
    const files = await writeRunnerSeries({ dir, ...LOAD })
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
    const output = path.join(dir, 'series.ndjson')
    const rounds = Array.from({ length: ROUNDS }, () => ({
      merge: runChild(MERGE_SCRIPT, { FILES: files.join(':'), OUTPUT: output }),
      parse: runChild(PARSE_SCRIPT, { FILES: files.slice(0, PARSED).join(':') }),
    }))
    const ratios = rounds.map(({ merge, parse }) => merge.wallMs / (parse.wallMs * (LOAD.runners / PARSED)))
    const gigabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e9
    print(
      `merging ${LOAD.runners} runners of ${LOAD.seconds} s, ${LOAD.routes} routes, ${LOAD.requestsPerSecond} requests/s each (${gigabytes.toFixed(2)} GB), medians of ${ROUNDS} rounds (minimum to maximum):`,
    )
    print(
      `  ${spread(rounds.map(({ merge }) => merge.wallMs / 1000))} s (target 40), peak ${peakMb(rounds.map(({ merge }) => merge.rssMb))} MB (target 500), ${spread(ratios)} times parsing every line`,
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function peakMb(values: readonly number[]): string {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  ).toFixed(0)
}

const MERGE_SCRIPT = `
  const { mergeSeries } = await import(${JSON.stringify(projectPath('reports/series/append-series.ts'))})
  const inputs = process.env.FILES.split(':').map((file) => ({ file, name: file }))
  const { complete, notes } = await mergeSeries({ inputs, output: process.env.OUTPUT, version: '2.2.0', startMs: 0, nowMs: 0 })
  if (!complete) throw new Error(notes.join(' '))`

const PARSE_SCRIPT = `
  const { createReadStream } = await import('node:fs')
  for (const file of process.env.FILES.split(':')) {
    let rest = ''
    for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
      const lines = (rest + chunk).split('\\n')
      rest = lines.pop()
      for (const line of lines) JSON.parse(line)
    }
  }`

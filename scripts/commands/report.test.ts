import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { runReport } from './report.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
  const series = [{ metric: 'http_req_duration', type: 'trend' as const, tags: { route_group: 'pools' } }]
  const slo = { name: 'own', objectives: [{ routeGroup: 'pools', quantile: 0.5, latencyMsMax: 1000 }] }
  await makeSyntheticRun({ dir, seed: 1, seconds: 5, samplesPerSecond: 20, series, run: { slo } })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('prints the table and the files, and returns the exit code of the run', async () => {
  const { exitCode, lines } = await report({ formats: 'md, html' })
  expect(exitCode).toBe(EXIT.ok)
  expect(lines[0]).toBe('pass: 1 of 1 objectives passed')
  expect(lines.slice(-3)).toEqual(['', `Report: ${dir}/summary.md`, `Report: ${dir}/report.html`])
})

test('prints only report.json with --json, judged by the given objectives', async () => {
  const slo = path.join(dir, 'slo.json')
  const objectives = [{ routeGroup: 'pools', quantile: 0.5, latencyMsMax: 1 }]
  await writeFile(slo, JSON.stringify({ name: 'mine', objectives }))
  const { exitCode, lines } = await report({ slo, json: true })
  expect(exitCode).toBe(EXIT.failed)
  expect(reportSchema.parse(JSON.parse(lines.join('\n')))).toMatchObject({
    verdict: 'fail',
    slo: { name: 'mine' },
  })
})

test('an unknown format is a usage error that lists the formats', async () => {
  await expect(report({ formats: 'html,pdf' })).rejects.toMatchObject({
    message: '--format: unknown format "pdf"',
    hint: 'Expected html, json, junit or md. Separate several formats with commas.',
    exitCode: EXIT.usage,
  })
})

test.each([
  {
    what: 'a percentile in percent',
    objective: { routeGroup: '*', quantile: 95, latencyMsMax: 1 },
    shown: 'objectives[0].quantile: ',
  },
  {
    what: 'no objective at all',
    objective: { p95: 1 },
    shown:
      'objectives[0]: expected an objective with a limit such as latencyMsMax; docs/slo.md lists all limits',
  },
])(
  'an SLO file with $what is a usage error that names the path in the file',
  async ({ objective, shown }) => {
    const slo = path.join(dir, 'slo.json')
    await writeFile(slo, JSON.stringify({ name: 'x', objectives: [objective] }))
    await expect(report({ slo })).rejects.toMatchObject({
      message: expect.stringContaining(shown),
      exitCode: EXIT.usage,
    })
  },
)

test('rejects a comparison', async () => {
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 0,
    samplesPerSecond: 1,
    series: [],
    run: { job: 'compare' },
  })
  await expect(report({})).rejects.toMatchObject({
    message: `${dir}: is a comparison, not a run`,
    hint: `\`breakwater compare ${dir}/a ${dir}/b\` compares its runs again.`,
    exitCode: EXIT.usage,
  })
})

async function report(options: { formats?: string; slo?: string; json?: boolean }) {
  const { io, written } = writtenIo()
  const exitCode = await runReport({ dir, json: false, io, ...options })
  return { exitCode, lines: written().trimEnd().split('\n') }
}

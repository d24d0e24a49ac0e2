import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readSeries } from '../../reports/series/read-series.ts'
import { cachedK6, countedBy, givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const k6 = await cachedK6()

// Counts only pages of pools, to exclude the requests of the command itself.
const MIX = {
  name: 'pools',
  description: 'pages of pools, for a load',
  durationSeconds: 60,
  clients: [
    {
      name: 'readers',
      description: 'read one page',
      credential: 'none',
      arrivalRate: 20,
      sessionDuration: { distribution: 'constant', seconds: 0 },
      thinkTime: { distribution: 'constant', seconds: 0 },
      steps: [{ weight: 1, requests: ['pools-page'] }],
    },
  ],
}

test.runIf(k6)('load --instances 3: measures what the stub counted, including the warm-up', async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile } = await givenStub(cwd)
  writeFileSync(join(cwd, 'mix.json'), JSON.stringify(MIX))
  const argv = `load --target ${writeProfile()} --mix mix.json --rate 150 --duration 3s --warm-up 1s --instances 3 --k6-out json=out.json --output run --json`
  const { exitCode, stdout, stderr } = await runCommandLine(argv.split(' '), { cwd })
  expect([exitCode, stderr]).toEqual([EXIT.ok, expect.not.stringContaining('breakwater:')])
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(report.run.instances).toBe(3)

  const { series, complete } = await readSeries(join(cwd, 'run', RUN_FILES.series))
  expect(complete).toBe(true)
  const measured = [...series.routes.values()].map(({ latency }) => latency.count)
  expect(measured).toEqual(Object.values(await countedBy(stub)))
  const { dueIterations, iterations, droppedIterations } = series
  expect([dueIterations, iterations + droppedIterations, measured[0]]).toEqual([600, 600, iterations])
  // k6's own output, one file per instance, has the same count.
  const points = [1, 2, 3].map((number) => {
    const lines = readFileSync(join(cwd, `out-trial-1-${number}.json`), 'utf8').split('\n')
    return lines.filter((line) => /"metric":"http_reqs","type":"Point"/.test(line)).length
  })
  expect(points.reduce((sum, count) => sum + count, 0)).toBe(measured[0])
  expect(existsSync(join(cwd, 'run', 'trials'))).toBe(false)
})

// The live view of real commands.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { huntReportSchema } from '../../contract/hunt-report.ts'
import { reportSchema } from '../../contract/report.ts'
import type { LiveState } from '../../reports/html/render-live.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { fetchLive, liveEvents } from '../live/test-live-client.ts'

const RUN_MS_MAX = { timeout: 120_000 }

/** The address in the line that a command prints. */
function addressIn(text: string): string | undefined {
  return /^Live view: (\S+)$/m.exec(text)?.[1]
}

/** Runs a load with --live, and follows its page to the end. */
async function followLoad(options: readonly string[]) {
  const interrupting = new AbortController()
  let following: Promise<LiveState[]> | undefined
  const onState = ({ data }: LiveState) => {
    if (data.time !== null && options.includes('3600s')) interrupting.abort('SIGINT')
  }
  const ended = await runCommandLine(['load', '--rate', '10', '--live', '--output', 'run', ...options], {
    interrupted: interrupting.signal,
    onStderr(text) {
      const url = addressIn(text)
      if (url !== undefined) following = collectStates(url, onState)
    },
  })
  return { ...ended, states: (await following) ?? [] }
}

test('load shows its charts while it runs, and then the report', RUN_MS_MAX, async () => {
  const { exitCode, stdout, states } = await followLoad([
    '--duration',
    '5s',
    '--warm-up',
    '0s',
    '--json',
    '-q',
  ])
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(exitCode).toBe(report.exitCode)
  const during = states.filter(({ isOver, data }) => !isOver && data.time !== null)
  expect(during.length).toBeGreaterThan(0)
  const last = states.at(-1)
  expect(last?.isOver).toBe(true)
  expect(last?.status).toBe(`The run has ended: ${report.verdict}. This page no longer changes.`)
  expect(last?.content).toContain(`${report.generator.requests} in ${report.generator.measuredSeconds} s`)
})

test('an interrupted load ends as without a page', RUN_MS_MAX, async () => {
  const { exitCode, states } = await followLoad(['--duration', '3600s'])
  expect(exitCode).toBe(130)
  expect(states.at(-1)).toMatchObject({
    isOver: true,
    status: 'The run has ended: interrupted. This page no longer changes.',
  })
})

test('hunt shows its findings, and then the report', RUN_MS_MAX, async () => {
  const cwd = temporaryFolder()
  const script = `const { BREAKWATER_BASE_URL: url, BREAKWATER_API_TOKEN: token } = process.env
await fetch(url + '/pools?limit=1&key=' + token)`
  writeFileSync(join(cwd, 'bot.mjs'), script)
  let following: Promise<LiveState[]> | undefined
  const { exitCode, stdout } = await runCommandLine(
    ['hunt', '--client', `${process.execPath} bot.mjs`, '--max-schedules', '1', '--live', '--json', '-q'],
    {
      cwd,
      env: process.env,
      onStderr(text) {
        const url = addressIn(text)
        if (url !== undefined) following = collectStates(url)
      },
    },
  )
  const states = (await following) ?? []
  const report = huntReportSchema.parse(JSON.parse(stdout))
  expect([exitCode, report.verdict]).toEqual([1, 'fail'])
  expect(states[0]?.isOver).toBe(false)
  expect(states.at(-1)).toMatchObject({
    isOver: true,
    status: 'The hunt has ended: fail. This page no longer changes.',
  })
  expect(states.at(-1)?.content).toContain(`Its case is <code>${report.findings[0]?.file}</code>.`)
})

async function collectStates(
  url: string,
  onState: (state: LiveState) => void = () => {},
): Promise<LiveState[]> {
  const states: LiveState[] = []
  for await (const { data } of liveEvents(url)) {
    const state: LiveState = JSON.parse(data)
    states.push(state)
    onState(state)
  }
  return states
}

test.each([
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 0 },
])(
  'report --live serves a run that has ended until $signal, and writes nothing',
  async ({ signal, code }) => {
    const cwd = temporaryFolder()
    const dir = join(cwd, 'run')
    await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [] })
    const files = readdirSync(dir)
    const interrupting = new AbortController()
    let page: ReturnType<typeof fetchLive> | undefined
    const { exitCode, stderr } = await runCommandLine(['report', dir, '--live'], {
      cwd,
      interrupted: interrupting.signal,
      onStdout(line) {
        const url = addressIn(line)
        if (url !== undefined) page = fetchLive(url).finally(() => interrupting.abort(signal))
      },
    })
    expect([exitCode, stderr]).toEqual([code, ''])
    expect((await page)?.body).toContain('The run has ended: inconclusive.')
    expect(readdirSync(dir)).toEqual(files)
  },
)

test('report --live needs a run folder', async () => {
  const { exitCode, stderr } = await runCommandLine(['report', 'missing', '--live'])
  expect([exitCode, stderr]).toEqual([
    2,
    'breakwater: missing: the folder does not exist\n  `breakwater runs` lists the runs in runs/.\n',
  ])
})

// Real runs through nginx with the page's sample configuration; `npm run nightly` has all other setups.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test as anyTest, expect, onTestFinished } from 'vitest'
import { type Report, reportSchema } from '../../contract/report.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { foundOrSkipped } from '../test/programs.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { OWN_DATE, SAMPLE } from './at-length.ts'
import { type Behind, findProxy, REMEDIES, type SetUp, startBehindProxy, WIRE_LOG } from './behind-proxy.ts'

const TIMEOUT = { timeout: 180_000 }
const found = foundOrSkipped(findProxy('nginx', process.env), {
  what: 'nginx',
  remedy: REMEDIES.nginx,
  env: process.env,
  tell: console.error,
})
const binary = found ?? 'nginx'
const test = anyTest.runIf(found)

async function behind(setUp: SetUp, mutant: MutantName | null = null): Promise<Behind & { folder: string }> {
  const folder = temporaryFolder()
  const started = await startBehindProxy({ setUp, proxy: 'nginx', binary, folder, mutant })
  onTestFinished(started.close)
  return { ...started, folder }
}

async function smoke({ folder, env }: Awaited<ReturnType<typeof behind>>, rules: string): Promise<Report> {
  const argv = ['smoke', '--target', 'profile.json', '--no-load', '--rules', rules, '--output', 'run']
  await runCommandLine(argv, { cwd: folder, env })
  return reportIn(join(folder, 'run'))
}

function reportIn(run: string): Report {
  return reportSchema.parse(JSON.parse(readFileSync(join(run, 'report.json'), 'utf8')))
}

const of = ({ rules }: Report, verdict: string) => rules.filter((rule) => rule.verdict === verdict)

test('through the sample configuration, smoke judges every rule, and none fails', TIMEOUT, async () => {
  const started = await behind(SAMPLE)
  const report = await smoke(started, '*')
  expect([...of(report, 'fail'), ...of(report, 'skipped')]).toEqual([])
  expect(of(report, 'inconclusive').length).toBeLessThanOrEqual(report.rules.length * 0.02)
  // Proves that requests used TLS, HTTP/2 and gzip.
  const passed = new Set(readFileSync(join(started.folder, WIRE_LOG), 'utf8').split('\n'))
  expect(passed).toContain('TLSv1.3 HTTP/2.0 200 gzip')
  expect(passed).toContain('TLSv1.3 HTTP/1.1 101 -')
})

test('through the sample configuration, doctor, load and repro work', TIMEOUT, async () => {
  const { folder, env } = await behind(SAMPLE)
  const run = (line: string) =>
    runCommandLine([...line.split(' '), '--target', 'profile.json'], { cwd: folder, env })
  const doctor = await run('doctor --json')
  const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; verdict: string }[] } // as: its format
  const ofTarget = checks.slice(checks.findIndex(({ check }) => check === 'profile'))
  expect(ofTarget.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
  expect(ofTarget.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['rest', 'exchange', 'feed', 'tls']),
  )
  for (const line of ['load --rate 20 --duration 3s --slo own', 'repro run reconnect-1012-deploy']) {
    const { exitCode, stdout, stderr } = await run(`${line} --output ran`)
    expect(exitCode, stdout + stderr).toBe(0)
    expect(reportIn(join(folder, 'ran')).verdict).toBe('pass')
    rmSync(join(folder, 'ran'), { recursive: true })
  }
})

test(
  'session expiry is judged by the clock of the exchange, not by the Date of a proxy',
  TIMEOUT,
  async () => {
    const rule = 'auth.verify.expiry'
    const verdict = async (mutant: MutantName | null, control?: null) => {
      const started = await behind(OWN_DATE, mutant)
      if (control === null) started.writeProfile({ control })
      const { rules } = await smoke(started, rule)
      return rules.map(({ verdict, observed }) => `${verdict}: ${observed}`)
    }
    const seen = (verdict: string) => [
      expect.stringMatching(`^${verdict}: [0-9]+ seconds ahead of the exchange's own clock$`),
    ]
    expect(await verdict(null)).toEqual(seen('pass'))
    expect(await verdict(null, null)).toEqual(seen('pass'))
    expect(await verdict('auth-verify-expiry-hour', null)).toEqual(seen('fail'))
  },
)

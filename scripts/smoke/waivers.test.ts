// A real run against a stub with a known fault.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RULE = 'api-token.create.needs-csrf'

test('a waived failure is shown everywhere and fails no run, even when rendered again', {
  timeout: 120_000,
}, async () => {
  const cwd = temporaryFolder()
  const out = join(cwd, 'run')
  const waivers = [{ rule: RULE, reason: 'known since <long>', until: '2999-12-31' }]
  writeFileSync(join(cwd, 'waivers.json'), JSON.stringify(waivers))
  const argv = ['smoke', '--no-load', '--mutant', 'auth-csrf-ignored', '--rules', RULE, '--output', 'run']
  const run = await runCommandLine([...argv, '--waivers', 'waivers.json'], { cwd })

  expect(run.exitCode).toBe(0)
  expect(run.stdout).toContain(`fail, waived until 2999-12-31  ${RULE}: known since <long>\n`)
  expect(run.stdout).toContain('pass: 1 of 1 rules judged, 1 failed (1 of them waived)\n')
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
  expect(report.rules).toMatchObject([
    { id: RULE, verdict: 'fail', waiver: { reason: 'known since <long>', until: '2999-12-31' } },
  ])
  for (const file of ['report.html', 'junit.xml', 'summary.md']) {
    expect(readFileSync(join(out, file), 'utf8'), file).toMatch(
      /[Ww]aived until 2999-12-31: (<bdi>)?known since (&#60;|&lt;|\\<)long/,
    )
  }
  expect((await runCommandLine(['report', out])).exitCode).toBe(0)
})

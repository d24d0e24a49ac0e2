import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = 90_000

test('a profile, a mix and objectives that go together; a stub is judged by them', {
  timeout: RUN_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const init = await runCommandLine(['init', '--json'], { cwd })
  expect(init).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(init.stdout)).toEqual({
    written: ['profile.jsonc', 'mix.jsonc', 'slo.jsonc'],
    link: null,
    next: [
      'npx breakwater stub',
      'npx breakwater doctor --target profile.jsonc',
      'npx breakwater smoke --target profile.jsonc --mix mix.jsonc --slo slo.jsonc',
    ],
  })
  // As a person does, who has a target at other addresses.
  const { stub } = await givenStub(cwd)
  const profile = readFileSync(join(cwd, 'profile.jsonc'), 'utf8')
    .replace('http://127.0.0.1:8080', stub.profile.baseUrl)
    .replace('ws://127.0.0.1:8081', stub.profile.wsUrl)
  writeFileSync(join(cwd, 'profile.jsonc'), profile)
  const files = ['--target', 'profile.jsonc', '--mix', 'mix.jsonc', '--slo', 'slo.jsonc']
  const argv = ['load', ...files, '--rate', '30', '--duration', '3', '--out', 'run', '--json']
  const { exitCode, stdout } = await runCommandLine(argv, { cwd })
  const report = JSON.parse(stdout)
  expect(report.run.target.name).toBe('profile')
  expect(report.run.mix).toBe('mix')
  expect(report.slo).toMatchObject({ name: 'slo' })
  expect(report.latency.groups.map(({ routeGroup }: { routeGroup: string }) => routeGroup)).toContain(
    'explore',
  )
  // How fast it is, is the machine's business.
  expect([0, 1]).toContain(exitCode)
})

test.each([
  { argv: 'init profile', written: 'profile.jsonc', next: 'npx breakwater doctor --target profile.jsonc' },
  {
    argv: 'init profile staging',
    written: 'staging.jsonc',
    next: 'npx breakwater doctor --target staging.jsonc',
  },
  { argv: 'init mix busy-day', written: 'busy-day.jsonc', next: 'npx breakwater smoke --mix busy-day.jsonc' },
  { argv: 'init slo', written: 'slo.jsonc', next: 'npx breakwater load --rate 20 --slo slo.jsonc' },
])('`breakwater $argv` writes one file and says what comes next', async ({ argv, written, next }) => {
  const { cwd, stdout, stderr, exitCode } = await runCommandLine(argv.split(' '))
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(new RegExp(`^${written}: written, .*\n\nNext:\n  ${next}\n`))
  expect(readdirSync(cwd)).toEqual([written])
  expect(readFileSync(join(cwd, written), 'utf8')).toContain(`"name": "${written.replace('.jsonc', '')}"`)
})

test('where one of the three is there already none is written', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mix.jsonc'), 'precious')
  const { exitCode, stderr } = await runCommandLine(['init'], { cwd })
  expect(stderr).toBe(
    'breakwater: mix.jsonc: is there already, and nothing is overwritten\n  Choose another name, or move the file.\n',
  )
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['mix.jsonc'])
  expect(readFileSync(join(cwd, 'mix.jsonc'), 'utf8')).toBe('precious')
})

test.each([
  { argv: ['init', 'profile', '../mine'], says: /^breakwater: "\.\.\/mine" does not do as a name\n/ },
  { argv: ['init', 'mix', 'a'.repeat(65)], says: /does not do as a name/ },
  { argv: ['init', 'slo', ''], says: /Expected a text that is not empty/ },
  {
    argv: ['init', 'pipeline'],
    says: /Allowed choices are profile, mix, slo, scenario\./,
  },
  { argv: ['init', 'mix', 'a', 'b'], says: /too many arguments for 'init'/ },
])('refuses `breakwater $argv`, and writes nothing', async ({ argv, says }) => {
  const { cwd, exitCode, stderr } = await runCommandLine(argv)
  expect(stderr).toMatch(says)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = 90_000

test('creates a profile, a mix and objectives with which smoke checks a stub', {
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
  // Like a user with a target at other addresses.
  const { stub } = await givenStub(cwd)
  const profile = readFileSync(join(cwd, 'profile.jsonc'), 'utf8')
    .replace('http://127.0.0.1:8080', stub.profile.baseUrl)
    .replace('ws://127.0.0.1:8081', stub.profile.wsUrl)
  writeFileSync(join(cwd, 'profile.jsonc'), profile)
  const files = ['--target', 'profile.jsonc', '--mix', 'mix.jsonc', '--slo', 'slo.jsonc']
  const argv = ['load', ...files, '--rate', '30', '--duration', '3s', '--output', 'run', '--json']
  const { exitCode, stdout } = await runCommandLine(argv, { cwd })
  const report = JSON.parse(stdout)
  expect(report.run.target.name).toBe('profile')
  expect(report.run.mix).toBe('mix')
  expect(report.slo).toMatchObject({ name: 'slo' })
  expect(report.latency.groups.map(({ routeGroup }: { routeGroup: string }) => routeGroup)).toContain(
    'explore',
  )
  // Independent of the speed of the machine.
  expect([0, 1]).toContain(exitCode)
})

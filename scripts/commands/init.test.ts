import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

test.each([
  { argv: 'init profile', written: 'profile.jsonc', next: 'npx breakwater doctor --target profile.jsonc' },
  {
    argv: 'init profile staging',
    written: 'staging.jsonc',
    next: 'npx breakwater doctor --target staging.jsonc',
  },
  { argv: 'init mix busy-day', written: 'busy-day.jsonc', next: 'npx breakwater smoke --mix busy-day.jsonc' },
  { argv: 'init slo', written: 'slo.jsonc', next: 'npx breakwater load --rate 20 --slo slo.jsonc' },
])('`breakwater $argv` writes one file and prints the next commands', async ({ argv, written, next }) => {
  const { cwd, stdout, stderr, exitCode } = await runCommandLine(argv.split(' '))
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(new RegExp(`^${written}: written, .*\n\nNext:\n  ${next}\n`))
  expect(readdirSync(cwd)).toEqual([written])
  expect(readFileSync(join(cwd, written), 'utf8')).toContain(`"name": "${written.replace('.jsonc', '')}"`)
})

test('writes none of the three files if one exists', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mix.jsonc'), 'precious')
  const { exitCode, stderr } = await runCommandLine(['init'], { cwd })
  expect(stderr).toBe(
    'breakwater: mix.jsonc: already exists, and is not overwritten\n  Choose another name, or move the file.\n',
  )
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['mix.jsonc'])
  expect(readFileSync(join(cwd, 'mix.jsonc'), 'utf8')).toBe('precious')
})

test('leaves no file if one of them cannot be written', () => {
  const cwd = temporaryFolder()
  const command = `ulimit -f 1; exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' init`
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  expect(stderr).toMatch(
    /^breakwater: \w+\.jsonc: cannot be written: it would be larger than the system allows\n/,
  )
  expect(status).toBe(3)
  expect(readdirSync(cwd)).toEqual([])
})

test.each([
  { argv: ['init', 'profile', '../mine'], says: /^breakwater: "\.\.\/mine" is not a valid name\n/ },
  { argv: ['init', 'mix', 'a'.repeat(65)], says: /is not a valid name/ },
  { argv: ['init', 'slo', ''], says: /Expected a non-empty text/ },
  {
    argv: ['init', 'pipeline'],
    says: /Expected profile, mix, slo or scenario\./,
  },
  { argv: ['init', 'mix', 'a', 'b'], says: /init: unexpected argument "b"/ },
])('rejects `breakwater $argv`, and writes nothing', async ({ argv, says }) => {
  const { cwd, exitCode, stderr } = await runCommandLine(argv)
  expect(stderr).toMatch(says)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
})

import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { neededCode } from '../pack/packed-files.ts'
import { sourceFiles } from '../repo-checks/source-files.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { imageLayers, programFiles, type TarEntry, tarChunks } from './image-layers.ts'
import { imageConfig, makeImage } from './make-image.ts'

const isLinux = process.platform === 'linux'
const env = process.env
let layers: TarEntry[][] = []
let paths: string[] = []

beforeAll(async () => {
  const k6 = await findK6({ env, k6SourceDir: projectPath('k6'), onProgress: console.error })
  if (isLinux) layers = await imageLayers({ env, k6 })
  paths = layers.flat().map(({ path }) => path)
}, 300_000)

test.runIf(isLinux)('an image contains the command and the tools of the operator, each path once', () => {
  expect(new Set(paths).size).toBe(paths.length)
  const scenarios = sourceFiles(['.k6.ts']).map(({ path }) => path)
  const code = [...neededCode(scenarios.filter((path) => !path.startsWith('scripts/')))]
  const wanted = [
    ...code.map((path) => `opt/breakwater/${path}`),
    ...[
      'bin/sh',
      'bin/mkdir',
      'bin/dirname',
      'bin/cat',
      'bin/grep',
      'usr/bin/env',
      'tmp',
      'data',
      'etc/passwd',
    ],
    ...['usr/local/bin/node', 'usr/local/bin/k6', 'usr/local/bin/breakwater'],
    ...['usr/local/share/licenses/k6/LICENSE.md', 'opt/breakwater/LICENSE', 'opt/breakwater/NOTICE'],
    ...['opt/breakwater/dist/load.k6.js', 'opt/breakwater/node_modules/zod/package.json'],
  ]
  expect(wanted.filter((path) => !paths.includes(path))).toEqual([])
  const ours =
    /\.test\.ts$|\.cluster\.ts$|breakwater\/(scripts\/(test|image)|runs|\.git|node_modules\/(vitest|typescript))\//
  const own = paths.filter((path) => !/node_modules\/(?!vitest|typescript)/.test(path))
  expect(own.filter((path) => ours.test(path))).toEqual([])
})

test('its containers start as the Dockerfile says', () => {
  expect(imageConfig(readFileSync(projectPath('Dockerfile'), 'utf8'))).toEqual({
    User: '1000:1000',
    WorkingDir: '/data',
    Entrypoint: ['breakwater'],
    Cmd: ['stub', '--host=0.0.0.0'],
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'BREAKWATER_K6=/usr/local/bin/k6'],
    ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
  })
})

test.runIf(isLinux)('a program is copied with its libraries, which keep their paths', () => {
  const files = programFiles({ from: process.execPath, at: 'usr/local/bin/node' })
  expect(files[0]?.path).toBe('usr/local/bin/node')
  expect(files.map(({ path }) => path).join('\n')).toMatch(/^lib.*(libc\.so|ld-musl)/m)
  expect(files.every((file) => file.kind === 'file' && file.mode === 0o755)).toBe(true)
})

test.runIf(isLinux)('reports a missing tool of the operator', async () => {
  const folder = temporaryFolder()
  for (const name of ['sh', 'env', 'mkdir', 'dirname', 'cat']) symlinkSync('/bin/sh', join(folder, name))
  const failed = await imageLayers({
    env: { PATH: [folder, dirname(folder)].join(delimiter) },
    k6: '',
  }).catch((error: unknown) => error)
  expect(failed).toEqual(
    new BreakwaterError('the image needs grep, which is not on the PATH', { exitCode: 3 }),
  )
})

test.each([
  'breakwater',
  'breakwater:1',
  'localhost/breakwater',
  'localhost/Breakwater:1',
  'localhost/a:',
  'a b:1',
])('%j is not the full name of an image', async (name) => {
  await expect(makeImage({ file: 'never.tar', name, env, onProgress: () => {} })).rejects.toThrow(
    `not the full name of an image, with its host and its tag: ${name}`,
  )
})

const LONG = `${'deep/'.repeat(30)}grün.txt`

test('tar extracts what was archived: modes, links, long names, files of many blocks', () => {
  const folder = temporaryFolder()
  const big = Buffer.alloc(3_000_001, 'breakwater ')
  writeFileSync(join(folder, 'big'), big)
  const entries: TarEntry[] = [
    { path: 'tmp', mode: 0o1777, kind: 'folder' },
    { path: 'run.sh', mode: 0o755, kind: 'data', data: Buffer.from('echo hello\n') },
    { path: 'empty', mode: 0o644, kind: 'data', data: Buffer.alloc(0) },
    { path: 'big', mode: 0o644, kind: 'file', from: join(folder, 'big') },
    { path: LONG, mode: 0o600, kind: 'data', data: Buffer.from('far down') },
    { path: 'link', mode: 0o777, kind: 'link', to: `/${LONG}` },
  ]
  const archive = Buffer.concat([...tarChunks(entries)])
  expect(archive.length % 512).toBe(0)
  expect(Buffer.concat([...tarChunks(entries)]).equals(archive)).toBe(true)

  writeFileSync(join(folder, 'all.tar'), archive)
  const out = join(folder, 'out')
  mkdirSync(out)
  execFileSync('tar', ['--same-permissions', '-xf', join(folder, 'all.tar'), '-C', out])
  const readMode = (path: string) => (lstatSync(join(out, path)).mode & 0o7777).toString(8)
  expect(['tmp', 'run.sh', 'empty', LONG].map(readMode)).toEqual(['1777', '755', '644', '600'])
  expect(readFileSync(join(out, 'run.sh'), 'utf8')).toBe('echo hello\n')
  expect(readFileSync(join(out, 'empty')).length).toBe(0)
  expect(readFileSync(join(out, 'big')).equals(big)).toBe(true)
  expect(readFileSync(join(out, LONG), 'utf8')).toBe('far down')
  expect(readlinkSync(join(out, 'link'))).toBe(`/${LONG}`)
})

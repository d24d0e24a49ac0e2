import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GO_FLAGS } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { neededCode } from '../pack/packed-files.ts'
import { sourceFiles } from '../repo-checks/source-files.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import type { TarEntry } from './image-layers.ts'
import { readDockerfile, writeOciArchive } from './make-image.ts'
import { contextFilter } from './rehearse.ts'

const config = {
  User: '1000:1000',
  WorkingDir: '/data',
  Entrypoint: ['breakwater'],
  Cmd: ['stub'],
  Env: ['PATH=/bin'],
  ExposedPorts: { '8080/tcp': {} },
}
const text = (path: string): TarEntry => ({ path, mode: 0o644, kind: 'data', data: Buffer.from(path) })
const layers: TarEntry[][] = [
  [{ path: 'tmp', mode: 0o1777, kind: 'folder' }, text('opt/a/b/one'), text('opt/a/two')],
  [text('opt/three')],
]

function unpacked(archive: string, into: string): string {
  mkdirSync(into)
  execFileSync('tar', ['-xf', archive, '-C', into])
  return into
}

test('each blob is stored under its digest, starting from the index', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'image.tar')
  const { digest } = writeOciArchive({ file, name: 'localhost/some/image:7.1', config, layers })
  expect(readdirSync(folder)).toEqual(['image.tar'])
  const out = unpacked(file, join(folder, 'out'))
  const json = (path: string) => JSON.parse(readFileSync(join(out, path), 'utf8'))
  const blob = (name: string) => `blobs/${name.replace(':', '/')}`
  for (const name of readdirSync(join(out, 'blobs/sha256'))) {
    const bytes = readFileSync(join(out, 'blobs/sha256', name))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(name)
  }

  expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' })
  const [entry] = json('index.json').manifests
  expect(entry.digest).toBe(digest)
  expect(entry.annotations).toEqual({
    'io.containerd.image.name': 'localhost/some/image:7.1',
    'org.opencontainers.image.ref.name': '7.1',
  })
  const manifest = json(blob(digest))
  const image = json(blob(manifest.config.digest))
  expect(image.config).toEqual(config)
  expect(image.rootfs.diff_ids).toEqual(manifest.layers.map((layer: { digest: string }) => layer.digest))
  const listed = manifest.layers.map((layer: { digest: string }) =>
    execFileSync('tar', ['-tf', join(out, blob(layer.digest))], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  )
  expect(listed).toEqual([
    ['tmp/', 'opt/', 'opt/a/', 'opt/a/b/', 'opt/a/b/one', 'opt/a/two'],
    ['opt/', 'opt/three'],
  ])
})

test('the same files give the same image, regardless of its name and file', () => {
  const folder = temporaryFolder()
  const writeImage = (name: string, all = layers) =>
    writeOciArchive({ file: join(folder, name), name: `localhost/${name}:1`, config, layers: all }).digest
  expect(writeImage('a')).toBe(writeImage('b'))
  expect(writeImage('a')).not.toBe(writeImage('a', layers.slice(1)))
})

const read = (path: string) => readFileSync(projectPath(path), 'utf8')
const stages = readDockerfile(read('Dockerfile'))
const image = stages.at(-1)?.steps ?? []
const findText = (instruction: string) => image.find((step) => step.instruction === instruction)?.text
const isSent = contextFilter(read('.dockerignore'))

test('the image runs as an unprivileged user, has a health check, and starts the stub by default', () => {
  expect(stages.map(({ name }) => name)).toEqual(['k6', 'modules', 'package', ''])
  // Numeric, since a cluster that forbids root does not resolve names.
  expect(findText('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(findText('HEALTHCHECK')).toMatch(/ CMD \["wget", .*\/ready"\]$/)
  expect(JSON.parse(findText('ENTRYPOINT') ?? '')).toEqual(['breakwater'])
  expect(JSON.parse(findText('CMD') ?? '')).toEqual(['stub', '--host=0.0.0.0'])
})

test.each(['Dockerfile', '.ci/run'])(
  '%s compiles k6 as the command does, so that nothing is compiled twice',
  (file) => {
    expect(read(file)).toContain(`go build ${GO_FLAGS.join(' ')} -buildvcs=false -ldflags '-s -w' -o`)
  },
)

test('base images are pinned', () => {
  const images = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, name]) => name)
  expect(images).toHaveLength(2)
  for (const name of images) expect(name).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('every copied path exists and is sent to the builder', () => {
  const copied = stages
    .flatMap(({ steps }) => steps)
    .filter(({ instruction, text }) => instruction === 'COPY' && !text.startsWith('--from'))
    .flatMap(({ text }) => text.split(' ').slice(0, -1))
    .filter((path) => path !== '.')
  expect(copied).toEqual(['k6/', 'package.json', 'package-lock.json', '.npmrc'])
  expect(copied.filter((path) => !existsSync(projectPath(path)) || !isSent(path.replace(/\/$/, '')))).toEqual(
    [],
  )
})

/** Quoted paths in the build’s script. */
const compiledEntries = () =>
  [...read('scripts/build.mjs').matchAll(/'([a-z0-9/-]+\.ts)'/g)].map(([, path = '']) => path)

test('the build watches every folder that it compiles', () => {
  const folders = [...neededCode(compiledEntries())].map((path) => path.split('/')[0] ?? '')
  const watched = [
    ...(/SOURCES = \[([^\]]*)/.exec(read('scripts/build.mjs'))?.[1] ?? '').matchAll(/'(\w+)'/g),
  ]
  expect(new Set(folders)).toEqual(new Set(watched.map(([, folder]) => folder)))
})

test('all runtime code and licenses are sent, but no tests, secrets or history', () => {
  const scenarios = sourceFiles(['.k6.ts']).map(({ path }) => path)
  const needed = [
    ...neededCode([...scenarios, ...compiledEntries()]),
    'LICENSE',
    'NOTICE',
    'k6/go.sum',
    'docs/reference/rules.md',
    'fixtures/worlds/tiny.json',
  ]
  expect(needed.filter((path) => !isSent(path))).toEqual([])
  const kept = ['.git/config', '.env', 'runs/1/run.json', 'node_modules/zod/index.js', 'scripts/main.test.ts']
  expect([...kept, 'examples/clients/browser/stub-wallets.json'].filter(isSent)).toEqual([])
})

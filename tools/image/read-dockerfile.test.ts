import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { neededCode } from '../pack/needed-code.ts'
import { sourceFiles } from '../repo-checks/source-files.ts'
import { readDockerfile } from './read-dockerfile.ts'
import { contextFilter } from './rehearse.ts'

const read = (path: string) => readFileSync(projectPath(path), 'utf8')
const stages = readDockerfile(read('Dockerfile'))
const image = stages.at(-1)?.steps ?? []
const textOf = (instruction: string) => image.find((step) => step.instruction === instruction)?.text
const isSent = contextFilter(read('.dockerignore'))

test('the image runs as nobody special, tells its health, and is the stub unless told otherwise', () => {
  expect(stages.map(({ name }) => name)).toEqual(['k6', 'modules', 'package', ''])
  // A number: a cluster that forbids root does not read names.
  expect(textOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(textOf('HEALTHCHECK')).toMatch(/ CMD \["wget", .*\/ready"\]$/)
  expect(JSON.parse(textOf('ENTRYPOINT') ?? '')).toEqual(['breakwater'])
  expect(JSON.parse(textOf('CMD') ?? '')).toEqual(['stub', '--host=0.0.0.0'])
})

test('base images are pinned', () => {
  const images = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, name]) => name)
  expect(images).toHaveLength(2)
  for (const name of images) expect(name).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('what is copied is there, and is sent to the builder', () => {
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

test('all code that runs is sent, all of the licences too; no tests, no secrets, no history', () => {
  const scenarios = sourceFiles(['.k6.ts']).map(({ path }) => path)
  const needed = [
    ...neededCode(scenarios),
    'LICENSE',
    'NOTICE',
    'k6/go.sum',
    'docs/rules.md',
    'fixtures/worlds/tiny.json',
  ]
  expect(needed.filter((path) => !isSent(path))).toEqual([])
  const kept = ['.git/config', '.env', 'runs/1/run.json', 'node_modules/zod/index.js', 'scripts/main.test.ts']
  expect([...kept, 'examples/clients/browser/stub-wallets.json'].filter(isSent)).toEqual([])
})

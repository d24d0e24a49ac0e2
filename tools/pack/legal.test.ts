import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath, VERSION } from '../../scripts/project.ts'

const read = (path: string) => readFileSync(projectPath(path), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { license?: string; dev?: boolean }>
}

/** Licenses that only require their notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
]

test('LICENSE is the text of the Apache License 2.0, to the byte', () => {
  const hash = createHash('sha256').update(read('LICENSE')).digest('hex')
  expect(hash).toBe('cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30')
})

test('every dependency of the package has a permissive license', () => {
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev)
  expect(installed.length).toBeGreaterThan(50)
  const others = installed.filter(([, { license }]) => license === undefined || !PERMISSIVE.includes(license))
  expect(others.map(([path, { license }]) => `${path} ${license}`)).toEqual([])
})

test('NOTICE names k6 and the code that reports include', () => {
  const [, uplot] = /"uplot": "(\d+\.\d+)/.exec(read('package.json')) ?? []
  expect(read('NOTICE')).toContain(`carries uPlot ${uplot} (MIT`)
  expect(read('NOTICE')).toContain('AGPL-3.0-only')
})

test('CHANGELOG has this version and its date', () => {
  expect(read('CHANGELOG.md')).toMatch(
    new RegExp(`^## \\[${VERSION.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  )
})

import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { sourceFiles } from './source-files.ts'

type RepoRule = {
  rule: string
  endings: readonly string[]
  /** Only files whose path matches; all files by default. */
  where?: RegExp
  banned: RegExp
}

const CODE = ['.ts', '.mjs', '.js', '.py', '.go']

// In pieces, so that this file does not violate its own rules.
const REPO_RULES: readonly RepoRule[] = [
  {
    rule: 'no unfinished work',
    endings: [...CODE, '.sh'],
    banned: new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`),
  },
  {
    rule: 'no test that is skipped or alone',
    endings: CODE,
    banned: new RegExp(`\\.(${['sk' + 'ip', 'on' + 'ly', 'to' + 'do'].join('|')})\\(`),
    where: /\.(test|cluster)\.ts$/,
  },
  {
    rule: 'no silenced type errors',
    endings: ['.ts'],
    banned: new RegExp(`@ts-(${['ig' + 'nore', 'no' + 'check'].join('|')})`),
  },
  {
    rule: 'no randomness except from the seed',
    endings: ['.ts'],
    where: /^(simulator|scenarios)\//,
    banned: new RegExp('Math\\.' + 'random'),
  },
  {
    rule: 'no wall clock in the simulated world',
    endings: ['.ts'],
    where: /^simulator\/(amm|chain|agents|indexer|auth|exchange|gateway)\/(?!.*\.test\.ts$)/,
    banned: new RegExp(['Date\\.' + 'now\\(', 'new Date\\(\\)', 'performance\\.' + 'now'].join('|')),
  },
  {
    rule: 'no secret compared in other than constant time',
    endings: ['.ts'],
    where: /^simulator\/(auth|exchange|gateway|control)\/(?!.*\.test\.ts$)/,
    banned: /[=!]==\s*[\w.]*([dD]igest|[sS]ecret|(access|refresh|csrf)Token)\b/,
  },
  {
    rule: 'no sleeping in tests',
    endings: ['.ts'],
    where: /\.(test|cluster)\.ts$/,
    banned: new RegExp('setTimeout\\(\\s*(resolve|done|r)\\b|timers/' + 'promises'),
  },
  {
    rule: 'no mocked module in tests that share a process (vitest.config.ts): another file may have loaded it',
    endings: ['.ts'],
    where: /^(client|contract|explore|histories|hunt|reports|scripts|simulator)\/.*(?<!\.long)\.test\.ts$/,
    banned: new RegExp('vi\\.' + '(do)?mock\\('),
  },
  {
    rule: 'no package names in scenarios, which k6 cannot resolve',
    endings: ['.ts'],
    where: /^scenarios\/(?!.*\.test\.ts$)/,
    banned: /^import (?!type).*from '(?!\.|k6)/m,
  },
  {
    rule: 'no terminal output except through Io, which sanitizes it',
    endings: ['.ts'],
    where: /^(?!.*(\.(test|cluster)|\/main)\.ts$)(contract|client|reports|simulator|scripts)\//,
    banned: new RegExp('process\\.(stdout|stderr)' + '|^\\s*console\\.\\w+\\('),
  },
  {
    rule: 'no race with a pause, whose timer keeps a k6 iteration from ending: `within` of pause.ts cancels it',
    endings: ['.ts'],
    where: /^scenarios\//,
    banned: new RegExp('Promise\\.race\\(.*' + 'pause\\('),
  },
  { rule: 'no barrel files', endings: ['.ts'], banned: /^export \* from/m },
]

test.each(REPO_RULES)('$rule', ({ endings, where, banned }) => {
  const breaches = sourceFiles(endings)
    .filter(({ path }) => where === undefined || where.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (banned.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
  expect(breaches).toEqual([])
})

test('no file of miscellany', () => {
  const strangers = sourceFiles(['.ts']).filter(({ path }) =>
    /\/(utils|helpers|types|common|misc)\.ts$/.test(path),
  )
  expect(strangers.map(({ path }) => path)).toEqual([])
})

test('no machine-specific path and no registry address', () => {
  const texts = sourceFiles([...CODE, '.json', '.md', '.sh', '.yml', 'run'])
  const marks = new RegExp(
    [`/${'work'}/`, `/${'root'}/`, `/${'home'}/[a-z]`, 'registry\\.' + 'npmjs', 'proxy\\.' + 'golang'].join(
      '|',
    ),
  )
  expect(texts.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([])
})

test('no dead source file: each is imported, or an entry', () => {
  // Examples are for users to copy.
  const files = sourceFiles(['.ts', '.mjs']).filter(({ path }) => !path.startsWith('examples/'))
  const all = files.map(({ text }) => text).join('\n')
  const entries =
    /(\.test\.ts|\.cluster\.ts|\.k6\.ts|\.d\.ts|\.bench\.ts|vitest\.config\.ts|^(scripts|tools)\/[^/]+\.(ts|mjs))$/
  const dead = files.filter(({ path }) => {
    const name = path.split('/').at(-1) ?? ''
    return !entries.test(path) && !all.includes(`/${name}'`) && !all.includes(`/${name}"`)
  })
  expect(dead.map(({ path }) => path)).toEqual([])
})

test('each mock names a file that exists', () => {
  const missing = sourceFiles(['.test.ts']).flatMap(({ path, text }) =>
    [...text.matchAll(/vi\.mock\('(\.[^']+)'/g)]
      .filter(([, mocked = '']) => !existsSync(projectPath(posix.join(posix.dirname(path), mocked))))
      .map(([, mocked]) => `${path}: ${mocked}`),
  )
  expect(missing).toEqual([])
})

test('no file is longer than 300 lines', () => {
  const long = sourceFiles([...CODE, '.css', '.sh']).filter(
    ({ text }) => text.trimEnd().split('\n').length > 300,
  )
  expect(long.map(({ path }) => path)).toEqual([])
})

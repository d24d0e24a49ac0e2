import { expect, test } from 'vitest'
import { ENVIRONMENT } from '../generate/cli-page.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

// Benchmarks pass parameters to their own scripts in the environment.
const sources = sourceFiles(['.ts', '.mjs', '.js', '.go', '.py']).filter(
  ({ path }) => !path.startsWith('tools/bench/') && !path.startsWith('tools/repo-checks/environment'),
)
const listed = Object.values(ENVIRONMENT).flatMap((variables) => Object.keys(variables))

function isListed(name: string): boolean {
  return listed.some(
    (entry) => entry === name || (entry.endsWith('*') && name.startsWith(entry.slice(0, -1))),
  )
}

/** The names that a file reads or sets: our own anywhere, others that are read from the environment outside of tests. */
function namesIn({ path, text }: SourceFile): string[] {
  const own = text.match(/\b(?:BREAKWATER|K6_SERIES)_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []
  if (/\.(test|cluster)\.ts$|_test\.go$/.test(path)) return own
  const read = [...text.matchAll(/\benv(?:iron)?(?:\.|\[["'])([A-Z][A-Z0-9_]+)(?!\w|\s*=[^=])/g)]
  const taken = [...text.matchAll(/\{([^{}]*)\}(?:: NodeJS\.ProcessEnv| = (?:process\.)?env)\b/g)].flatMap(
    ([, names = '']) => names.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [],
  )
  return [...own, ...read.map(([, name = '']) => name), ...taken]
}

test('the page of environment variables has every variable that the code reads', () => {
  const missing = sources.flatMap((file) =>
    namesIn(file)
      .filter((name) => !isListed(name))
      .map((name) => `${file.path}: ${name}`),
  )
  expect([...new Set(missing)]).toEqual([])
})

test('the page of environment variables has no variable that the code does not know', () => {
  const code = sources
    .filter(({ path }) => !path.startsWith('tools/generate/environment'))
    .map(({ text }) => text)
  expect(listed.filter((name) => !code.some((text) => text.includes(name.replace('*', ''))))).toEqual([])
})

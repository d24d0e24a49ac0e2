// Untrusted input must not be able to hang a command: every regular expression takes linear time.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'

// The other backends start a Java or native program.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/** Sources that read input from targets, clients or other people's run folders. */
const FILES = ['contract', 'reports', 'scenarios', 'simulator']
const OURS = /^simulator\/mutants\/|\.(test|bench|d)\.ts$/

/** Slow in theory, or unsupported by the checker; with the reason why each is harmless. */
const HARMLESS: Readonly<Record<string, string>> = {
  // Only in k6, whose Go engine is always linear.
  '/[a-z][a-z0-9+.-]*:\\/\\/[^\\s"\'<>\\\\]+/gi': 'runs in k6',
  '/eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+/g': 'runs in k6',
  '/\\B(?=([0-9]{3})+$)/g': 'the digits of one amount',
  '/\\b(?:\\d{1,3}\\.){3}\\d{1,3}:\\d+\\b|\\[[0-9a-f:]+\\]:\\d+/g': 'reads 480 characters at most',
  "/^import [^']*'.*'\\n/gm": 'our own browser script',
  // Created or bounded by the stub.
  '/eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+|(?<![A-Za-z0-9_-])(?:ss_)?[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g':
    'an address of 16 kB at most',
  '/0+$/': 'the digits of one number',
}

type Node = { type?: string; regex?: { pattern: string; flags: string } }

function expressionsIn(file: string): { pattern: string; flags: string }[] {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', target: 'esnext' })
  const found: { pattern: string; flags: string }[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex } = node as Node // as: a node of a syntax tree
    if (regex) found.push(regex)
    for (const inner of Object.values(node)) walk(inner)
  }
  walk(parseAst(code))
  return found
}

const listed = execFileSync('git', ['ls-files', ...FILES.map((folder) => `${folder}/**.ts`)], {
  encoding: 'utf8',
})
const files = listed
  .trim()
  .split('\n')
  .filter((file) => !OURS.test(file))
const expressions = new Map(
  files.flatMap((file) =>
    expressionsIn(file).map((one) => [`/${one.pattern}/${one.flags}`, { ...one, file }]),
  ),
)

function isLinear({ pattern, flags }: { pattern: string; flags: string }): boolean {
  return checkSync(pattern, flags, { checker: 'automaton', timeout: null }).status === 'safe'
}

test('no regular expression takes more than linear time', () => {
  const slow = [...expressions].filter(([shown, one]) => !(shown in HARMLESS) && !isLinear(one))
  expect(slow.map(([shown, { file }]) => `${file}: ${shown}`)).toEqual([])
})

test('every expression listed as harmless exists, and no other is slow', () => {
  expect(Object.keys(HARMLESS).filter((shown) => !expressions.has(shown))).toEqual([])
})

test('the checker detects a slow expression', () => {
  expect(isLinear({ pattern: '\\s*[\\r\\n]+\\s*', flags: 'g' })).toBe(false)
})

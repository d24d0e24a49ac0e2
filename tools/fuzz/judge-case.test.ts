import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import {
  CHECKS,
  findViolations,
  leakingFiles,
  makeCaseFolder,
  type Outcome,
  SENTINEL_SECRET,
  snapshot,
  strayChanges,
} from './judge-case.ts'

const GOOD: Outcome = {
  argv: ['report', 'run'],
  ended: { by: 'exit', code: 1 },
  stdout: 'fail  a rule\n',
  stderr: '',
  peakMb: 300,
  strays: [],
  leaks: [],
}

const TRACE = 'TypeError: x\n    at quote (file:///project/scripts/cli.ts:12:66)\n'

const BAD: Record<keyof typeof CHECKS, readonly Partial<Outcome>[]> = {
  'ends in time': [{ ended: { by: 'late' } }],
  'ends by itself': [{ ended: { by: 'signal', signal: 'SIGSEGV' } }],
  memory: [{ ended: { by: 'large' } }, { peakMb: 800 }],
  'exit code': [
    { ended: { by: 'exit', code: 7 } },
    { ended: { by: 'exit', code: 130 } },
    { argv: ['doctor'], ended: { by: 'exit', code: 1 } },
    { argv: ['runs', 'list'], ended: { by: 'exit', code: 4 } },
  ],
  'no stack trace': [{ stderr: TRACE }, { stdout: 'panic\ngoroutine 1 [running]\n' }],
  'no internal error': [{ stderr: 'breakwater: internal error: x\n' }],
  'no control character': ['\u001b', '\r', '\t', '\u009b', '\u007f'].map((text) => ({ stdout: `a${text}b` })),
  'no stray file': [{ strays: ['home/x'] }],
  'no secret': [{ stdout: 'sentinel-secret-4f1c9e' }, { leaks: ['cwd/m/run.json'] }],
}

test('a correct outcome has no violation', () => {
  expect(findViolations(GOOD)).toEqual([])
})

test.each(Object.keys(CHECKS) as (keyof typeof CHECKS)[])('%s', (check) => {
  for (const bad of BAD[check])
    expect(findViolations({ ...GOOD, ...bad }).map((violation) => violation.check)).toEqual([check])
})

const CHANGES: readonly { change: string; make: (root: string) => void; stray: string }[] = [
  { change: 'a new file', make: (root) => writeFileSync(join(root, 'home/x'), ''), stray: 'home/x' },
  { change: 'a new folder', make: (root) => mkdirSync(join(root, 'tmp/x')), stray: 'tmp/x' },
  { change: 'a new link', make: (root) => symlinkSync('.', join(root, 'cwd/x')), stray: 'cwd/x' },
  {
    change: 'other content of the same length',
    make: (root) => writeFileSync(join(root, 'sentinel/run.json'), '[]'),
    stray: 'sentinel/run.json',
  },
  {
    change: 'another mode',
    make: (root) => chmodSync(join(root, 'sentinel/run.json'), 0o777),
    stray: 'sentinel/run.json',
  },
  {
    change: 'a removed file',
    make: (root) => rmSync(join(root, 'sentinel/inner/file.txt')),
    stray: 'sentinel/inner/file.txt',
  },
]

test.each(CHANGES)('detects $change, and nothing else', ({ make, stray }) => {
  const { root } = makeCaseFolder(temporaryFolder())
  const before = snapshot(root)
  make(root)
  expect(strayChanges(before, snapshot(root), ['x/*', 'other'])).toEqual([stray])
})

test('an allowed path is not reported, unless a link led to it', () => {
  const { root } = makeCaseFolder(temporaryFolder())
  const before = snapshot(root)
  mkdirSync(join(root, 'cwd/out'))
  writeFileSync(join(root, 'cwd/out/report.json'), SENTINEL_SECRET)
  expect(strayChanges(before, snapshot(root), ['out', 'out/*'])).toEqual([])
  expect(leakingFiles(root, before, snapshot(root))).toEqual(['cwd/out/report.json'])
})

import { expect, test } from 'vitest'
import { CHECKS, type Outcome, violationsOf } from './judge-case.ts'

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
  'no internal error': [{ stderr: 'breakwater: something went wrong in breakwater itself: x\n' }],
  'no control character': ['\u001b', '\r', '\t', '\u009b', '\u007f'].map((text) => ({ stdout: `a${text}b` })),
  'no stray file': [{ strays: ['home/x'] }],
  'no secret': [{ stdout: 'sentinel-secret-4f1c9e' }, { leaks: ['cwd/m/run.json'] }],
}

test('nothing is wrong with an outcome as it should be', () => {
  expect(violationsOf(GOOD)).toEqual([])
})

test.each(Object.keys(CHECKS) as (keyof typeof CHECKS)[])('%s', (check) => {
  for (const bad of BAD[check])
    expect(violationsOf({ ...GOOD, ...bad }).map((violation) => violation.check)).toEqual([check])
})

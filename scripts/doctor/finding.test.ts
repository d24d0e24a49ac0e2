import { expect, test } from 'vitest'
import { NO_TERMINAL } from '../io.ts'
import { paintFor } from '../terminal-text.ts'
import { findingLines } from './finding.ts'

test('prints one line per finding, its fix below, and the counts', () => {
  const lines = findingLines(
    [
      { check: 'node', verdict: 'ok', saw: 'v22.3.0' },
      {
        check: 'k6',
        verdict: 'problem',
        saw: 'one\ntwo',
        remedy: { text: 'Remove it.', command: 'rm /cache/k6' },
      },
      { check: 'ports', verdict: 'warning', saw: '8080: in use' },
    ],
    paintFor({ env: {}, terminal: NO_TERMINAL }),
  )
  expect(lines).toEqual([
    'ok         node   v22.3.0',
    'problem    k6     one',
    '                  two',
    '                  Remove it.',
    '                    rm /cache/k6',
    'warning    ports  8080: in use',
    '',
    '3 checks: 1 problem, 1 warning',
  ])
})

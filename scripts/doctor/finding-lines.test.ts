import pico from 'picocolors'
import { expect, test } from 'vitest'
import { findingLines } from './finding-lines.ts'

test('a line a finding, what to do below it, and how many at the end', () => {
  const lines = findingLines(
    [
      { check: 'node', verdict: 'ok', saw: 'v22.3.0' },
      {
        check: 'k6',
        verdict: 'problem',
        saw: 'one\ntwo',
        remedy: { text: 'Remove it.', command: 'rm /cache/k6' },
      },
      { check: 'ports', verdict: 'warning', saw: '8080: is taken' },
      { check: 'rest', verdict: 'ok', saw: 'a\u001b[31mred' },
    ],
    pico.createColors(false),
  )
  expect(lines.slice(0, 6)).toEqual([
    'ok         node   v22.3.0',
    'problem    k6     one',
    '                  two',
    '                  Remove it.',
    '                    rm /cache/k6',
    'warning    ports  8080: is taken',
  ])
  expect(lines[6]).not.toContain('\u001b')
  expect(lines.slice(7)).toEqual(['', '4 checks: 1 problem, 1 warning'])
})

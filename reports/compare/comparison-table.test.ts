import { expect, test } from 'vitest'
import { comparisonTable } from './comparison-table.ts'
import { SAMPLE_COMPARISON } from './sample-comparison.ts'

test('shows both sides, the worst difference first, what was not measured, remarks, and the verdict last', () => {
  expect(comparisonTable(SAMPLE_COMPARISON)).toEqual([
    'A  runs/old: 2 runs of 20 to 30 s, 2500 requests',
    'B  runs/<new>: 2 runs of 20 to 30 s, 2500 requests',
    '                metric       A        B       change        95 % interval  verdict',
    'GET /<b> (g)    p95      40 ms    50 ms      +25.0 %     +20.0 to +90.0 %  worse',
    'GET /<b> (g)    errors  1.25 %      0 %  −1.3 points  −2.0 to −0.5 points  better',
    'GET /pools (g)  p50      20 ms  20.2 ms       +1.0 %       −1.0 to +3.0 %  no significant difference',
    'not comparable  GET /gone (g) p50: B has no such route',
    'note: new-1: the clock jumped\\u202e.',
    'worse: of 4 comparisons 1 worse, 1 better, 1 no significant difference, 1 not comparable',
  ])
})

test('each verdict has its color', () => {
  const paint = Object.fromEntries(
    ['green', 'red', 'yellow', 'dim', 'bold'].map((color) => [color, (text: string) => `${color}: ${text}`]),
  ) as Parameters<typeof comparisonTable>[1] // as: it has every color
  const colors = comparisonTable(SAMPLE_COMPARISON, paint).map((line) => /^(\w+): /.exec(line)?.[1])
  expect(colors).toEqual([undefined, undefined, 'dim', 'red', 'green', 'dim', 'yellow', 'dim', 'red'])
})

test('reports that nothing was measured', () => {
  const nothing = { ...SAMPLE_COMPARISON, differences: [], notes: [], verdict: 'not comparable' as const }
  expect(comparisonTable(nothing).slice(2)).toEqual(['not comparable: nothing was measured'])
})

test('limits the digits of huge intervals', () => {
  const relativeInterval = { low: -0.99999, high: 1e20 }
  const wide = {
    ...SAMPLE_COMPARISON,
    differences: SAMPLE_COMPARISON.differences.map((each) => ({ ...each, relativeInterval })),
  }
  expect(comparisonTable(wide).join('\n')).toContain('−100.0 to over +10000 %')
})

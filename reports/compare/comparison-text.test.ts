import { expect, test } from 'vitest'
import type { UntilSure, UntilSureOutcome } from '../../contract/comparison.ts'
import { COMPARISON_RENDERERS } from '../render-comparison.ts'
import { comparisonTable, untilSureLines } from './comparison-text.ts'
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

function stopped(outcome: UntilSureOutcome) {
  const untilSure: UntilSure = { outcome, pairs: 7, maxPairs: 20, firstLook: 3, undecided: 2, orderSeed: 7 }
  return { ...SAMPLE_COMPARISON, untilSure }
}

const CLEAREST = (place: string) => `Interval of the clearest difference: ${place}.`
const FARTHEST = 'Interval that reaches farthest: GET /<b> (g) errors, −2.0 to −0.5 points.'

test.each<[UntilSureOutcome, string, string]>([
  ['worse', 'Stopped because it is sure: B is worse.', CLEAREST('GET /<b> (g) p95, +20.0 to +90.0 %')],
  [
    'better',
    'Stopped because it is sure: B is better, and nowhere worse.',
    CLEAREST('GET /<b> (g) errors, −2.0 to −0.5 points'),
  ],
  [
    'equivalent',
    'Stopped because it is sure: B is equivalent, no difference reaches the smallest effect.',
    FARTHEST,
  ],
  [
    'futile',
    'Stopped as futile: 2 of 3 comparisons are undecided, and more pairs would probably not decide them.',
    FARTHEST,
  ],
  ['maximum', 'Stopped at the maximum: 2 of 3 comparisons are undecided.', FARTHEST],
  ['interrupted', 'Interrupted: 2 of 3 comparisons are undecided.', FARTHEST],
])('%s: says how many pairs were run, why it stopped, and the interval', (outcome, why, interval) => {
  expect(untilSureLines(stopped(outcome))).toEqual([`7 of at most 20 pairs of runs. ${why}`, interval])
})

test('without a comparison of the family, it names no interval', () => {
  const differences = SAMPLE_COMPARISON.differences.map((row) => ({ ...row, pValue: null }))
  expect(untilSureLines({ ...stopped('interrupted'), differences })).toEqual([
    '7 of at most 20 pairs of runs. Interrupted: 2 of 3 comparisons are undecided.',
  ])
})

test('the table, the page and Markdown show the same lines, and the method mentions the looks', () => {
  const comparison = stopped('worse')
  const [why = '', interval = ''] = untilSureLines(comparison)
  expect(comparisonTable(comparison).slice(-4)).toEqual([
    why,
    interval,
    'note: new-1: the clock jumped\\u202e.',
    'worse: of 4 comparisons 1 worse, 1 better, 1 no significant difference, 1 not comparable',
  ])
  const html = COMPARISON_RENDERERS.html.render(comparison)
  const md = COMPARISON_RENDERERS.md.render(comparison)
  expect(html).toContain(`<p><bdi>${why}</bdi></p>`)
  expect(html).toContain('GET /&#60;b&#62; (g) p95, +20.0 to +90.0 %.')
  expect(md).toContain(`${why}  \n`)
  const looks = 'allow for a look at the results after each pair of runs from number 3 on.'
  expect(html).toContain(looks)
  expect(md).toContain(looks)
})

test('other comparisons have no such lines', () => {
  expect(untilSureLines(SAMPLE_COMPARISON)).toEqual([])
  expect(COMPARISON_RENDERERS.md.render(SAMPLE_COMPARISON)).not.toContain('pairs of runs')
})

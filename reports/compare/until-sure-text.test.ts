import { expect, test } from 'vitest'
import type { UntilSure, UntilSureOutcome } from '../../contract/comparison.ts'
import { COMPARISON_RENDERERS } from '../render-comparison.ts'
import { comparisonTable } from './comparison-table.ts'
import { SAMPLE_COMPARISON } from './sample-comparison.ts'
import { untilSureLines } from './until-sure-text.ts'

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

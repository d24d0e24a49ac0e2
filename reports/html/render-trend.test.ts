import { expect, test } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { judgeTrends, TREND_DEFAULTS } from '../trend/judge-trend.ts'
import { simulateRecord } from '../trend/simulated-records.ts'
import { renderTrendHtml } from './render-trend.ts'

function render(groups: readonly number[]): string {
  const random = createRandom(1).stream('runs')
  const records = groups.flatMap((runs, group) =>
    Array.from({ length: runs }, (_, number) =>
      simulateRecord(number, () => random.float(), { record: { mix: `mix-${group}` } }),
    ),
  )
  return renderTrendHtml(judgeTrends(records, TREND_DEFAULTS))
}

test.each([
  { what: 'no group', groups: [3, 4], header: 'inconclusive', heading: 'Not judged' },
  { what: 'one of two groups', groups: [3, 12], header: 'pass', heading: 'No regression' },
])('the heading if $what was judged', ({ groups, header, heading }) => {
  const page = render(groups)
  expect(page).toContain(`<header class="${header}">`)
  expect(page).toContain(`<h1>${heading}</h1>`)
})

test('the capacity of a search over sockets is a number of sockets', () => {
  const random = createRandom(1).stream('runs')
  const records = Array.from({ length: 20 }, (_, number) =>
    simulateRecord(number, () => random.float(), {
      record: { job: 'capacity', axis: 'sockets', capacity: number < 10 ? 900 : 700 },
    }),
  )
  const page = renderTrendHtml(judgeTrends(records, TREND_DEFAULTS))
  expect(page).toContain(' 700 sockets (-22.2 %)')
  expect(page).toContain('<title>capacity 700 sockets, v1.19.0</title>')
  expect(page).not.toContain('00/s')
})

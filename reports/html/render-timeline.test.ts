import { expect, test } from 'vitest'
import type { TimelineLine } from '../../contract/run.ts'
import { sampleReport } from '../sample-report.ts'
import { renderTimeline } from './render-timeline.ts'

const HOSTILE = '</bdi></script><script>alert(1)</script>"\'&\u202e'

function renderPage(lines: TimelineLine[], notes: string[] = []): string {
  const caseRun = { name: 'storm', title: `Storm ${HOSTILE}`, story: HOSTILE }
  return renderTimeline({ report: sampleReport(), caseRun, timeline: { lines, notes } })
}

const buildLine = (number: number, more: Partial<TimelineLine> = {}): TimelineLine => ({
  number,
  atMs: 1500,
  actor: 'bot',
  kind: 'received',
  text: `200 ${number}`,
  ...more,
})

test('escapes texts of the target', () => {
  const page = renderPage([buildLine(1, { actor: HOSTILE, text: HOSTILE, rule: HOSTILE, kind: 'verdict' })])
  expect(page.match(/<script>/g)).toHaveLength(1)
  expect(page).not.toContain('\u202e')
  expect(page).toContain('&#60;script&#62;alert(1)')
})

test('the page cannot load anything', () => {
  const page = renderPage([buildLine(1)])
  expect(page).toContain("default-src 'none'")
  expect(page).not.toMatch(/(src|href)="(?!#|report\.html")/)
  expect(page).not.toContain('style="')
})

test('reports an empty timeline and notes on its file', () => {
  const page = renderPage([], ['2 of 2 lines of timeline.ndjson are invalid.'])
  expect(page).toContain('No events were recorded')
  expect(page).toContain('2 of 2 lines of timeline.ndjson are invalid.')
})

test.each([2, 50, 1000])('with %i actors every line appears once', (actors) => {
  const lines = Array.from({ length: actors * 3 }, (_, index) =>
    buildLine(index + 1, { actor: `socket-${index % actors}`, text: `waits ${index} ms`, atMs: index }),
  )
  const page = renderPage(lines)
  const found = [...page.matchAll(/ id="line-(\d+)"/g)].map(([, number]) => Number(number))
  expect(found.sort((a, b) => a - b)).toEqual(lines.map(({ number }) => number))
})

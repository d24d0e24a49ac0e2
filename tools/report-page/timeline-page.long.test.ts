import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TimelineLine } from '../../contract/run.ts'
import { renderTimeline } from '../../reports/html/render-timeline.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { openPage, pageTest as test } from './open-page.ts'

const WIDTH = 1280

function buildLines(actors: number): TimelineLine[] {
  return Array.from({ length: actors }, (_, index) => `client-${index + 1}`).flatMap((actor, place) => {
    const line = (step: number, more: Pick<TimelineLine, 'kind' | 'text'>): TimelineLine => ({
      number: 4 * place + step,
      atMs: 100 * place + step,
      actor,
      ...more,
    })
    return [
      line(1, { kind: 'step', text: `step of ${actor}` }),
      line(2, { kind: 'sent', text: `GET /pools?limit=${place}` }),
      line(3, { kind: 'received', text: `200 ${'field'.repeat(60)} <script>alert(1)</script>` }),
      line(4, { kind: 'outcome', text: 'served' }),
    ]
  })
}

async function open(actors: number, colorScheme: 'light' | 'dark' = 'light', width = WIDTH) {
  const file = join(temporaryFolder(), 'timeline.html')
  const caseRun = { name: 'a-case', title: 'A case', story: 'It happened.' }
  const timeline = { lines: buildLines(actors), notes: [] }
  writeFileSync(file, renderTimeline({ report: sampleReport(), caseRun, timeline }))
  return openPage(file, { width, colorScheme })
}

test.each([
  { actors: 2, width: WIDTH },
  { actors: 50, width: WIDTH },
  { actors: 1000, width: WIDTH },
  { actors: 2, width: 400 },
])('$actors actors fit a window of $width px, without errors', async ({ actors, width }) => {
  const { page, browserProblems } = await open(actors, 'light', width)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  expect(await page.locator('.lane[data-lane]').count()).toBe(actors === 1000 ? 1 : actors)
  expect(browserProblems).toEqual([])
})

test('the page is dark for readers with a dark color scheme', async () => {
  const colors = async (scheme: 'light' | 'dark') => {
    const { page } = await open(2, scheme)
    return page.evaluate(
      '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
    )
  }
  expect(await colors('light')).toEqual(['rgb(255, 255, 255)', 'rgb(28, 32, 36)'])
  expect(await colors('dark')).toEqual(['rgb(20, 23, 26)', 'rgb(230, 233, 236)'])
})

test('a selected lane shows only its lines, and deselecting it shows all', async () => {
  const { page } = await open(6)
  const shown = () => page.locator('tr[data-lane]:visible').count()
  expect(await shown()).toBe(18)
  const second = page.getByRole('button', { name: 'client-2' })
  await second.click()
  expect(await shown()).toBe(3)
  expect(await visibleText(page, 'tr[data-lane]:visible')).toContain('GET /pools?limit=1')
  await second.click()
  expect(await shown()).toBe(18)
})

test('a mark leads to its line, and unfolds it', async () => {
  const { page } = await open(1000)
  const line = page.locator('#line-2402')
  expect(await line.isVisible()).toBe(false)
  await page.evaluate("location.hash = '#line-2402'")
  await line.waitFor({ state: 'visible' })
  expect(await line.textContent()).toContain('client-601 GET /pools?limit=600')
})

async function visibleText(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).allTextContents()).join('\n')
}

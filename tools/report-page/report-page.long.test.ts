// The report pages of all jobs, in a browser: on a screen, on a phone, on paper, and by screen reader.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Finding } from '../../contract/finding.ts'
import { RULES } from '../../contract/rules.ts'
import type { TimelineLine } from '../../contract/run.ts'
import { makeSyntheticCapacityRun, scalingTarget } from '../../reports/capacity/synthetic-capacity-run.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { renderComparisonHtml } from '../../reports/html/render-comparison.ts'
import { renderTimeline } from '../../reports/html/render-timeline.ts'
import { renderRun } from '../../reports/render-run.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { renderHostileRun } from './hostile-run.ts'
import { measureWidth, openPage, pageTest as test, wrongByAxe } from './open-page.ts'

const PAGES = ['smoke', 'capacity', 'empty', 'timeline', 'comparison'] as const
type PageName = (typeof PAGES)[number]

const files = {} as Record<PageName, string> // as: filled before the first test
let parent: string
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  const render = async (dir: string) => {
    await renderRun({ dir, nowMs: 0 })
    return join(dir, 'report.html')
  }
  files.smoke = join(await renderHostileRun(parent, 'name'), 'report.html')
  const capacity = join(parent, 'capacity')
  const target = scalingTarget({ lambda: 60, sigma: 0.04, kappa: 0.002 })
  const trials = [30, 60, 110, 160, 220, 280, 340, 400, 800].map((rate) => ({ rate }))
  await makeSyntheticCapacityRun({ dir: capacity, seed: 1, target, trials })
  files.capacity = await render(capacity)
  const empty = join(parent, 'empty')
  await makeSyntheticRun({ dir: empty, seed: 1, seconds: 0, samplesPerSecond: 0, series: [] })
  files.empty = await render(empty)
  files.timeline = join(parent, 'timeline.html')
  const caseRun = { name: 'a-case', title: 'A case', story: 'It happened.' }
  writeFileSync(files.timeline, renderTimeline({ report: sampleReport(), caseRun, timeline: TIMELINE }))
  files.comparison = join(parent, 'comparison.html')
  writeFileSync(files.comparison, renderComparisonHtml(SAMPLE_COMPARISON))
}, 60_000)
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const TIMELINE: { lines: TimelineLine[]; notes: string[] } = {
  notes: [],
  lines: (['step', 'sent', 'received', 'outcome'] as const).map((kind, index) => ({
    number: index + 1,
    atMs: 100 * index,
    actor: index % 2 === 0 ? 'tab-1' : 'tab-2',
    kind,
    text: `what was ${kind}`,
  })),
}

const HELD = {
  finding: 1,
  expected: '',
  observed: 'as it should be',
  evidence: [],
  scenario: 'x',
  at: 0,
} as const

const LOOKS = [
  { look: 'light', colorScheme: 'light', width: 1280 },
  { look: 'dark', colorScheme: 'dark', width: 1280 },
  { look: 'narrow', colorScheme: 'dark', width: 390 },
] as const

const checks = PAGES.flatMap((page) =>
  LOOKS.map((check) => ({ name: `${page}, ${check.look}`, page, ...check })),
)

test.each(sampleByTree(checks, 3))(
  'the page $name has no problems',
  async ({ page: shown, colorScheme, width }) => {
    const { page, browserProblems } = await openPage(files[shown], { colorScheme, width })
    expect(await wrongByAxe(page)).toEqual([])
    expect(await measureWidth(page)).toBeLessThanOrEqual(width)
    expect(browserProblems).toEqual([])
  },
)

test('the sections are in order, and each has a link', async () => {
  const { page } = await openPage(files.smoke)
  const headings = await page.locator('section > h2[id]').evaluateAll((all) => all.map(({ id }) => id))
  const parts = ['changes', 'latency', 'limits', 'rules', 'slo', 'feed', 'bottlenecks', 'reproduce', 'notes']
  expect(headings).toEqual(parts)
  const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(links).toEqual(parts.map((part) => `#${part}`))
})

test('a search shows its load before other measurements', async () => {
  const { page } = await openPage(files.capacity)
  const [first, second, third] = await page.locator('nav a').allTextContents()
  expect([first, second, third]).toEqual(['Changes since the last run', 'Load', 'Latency'])
})

test('by keyboard alone: to the content, to a filter, and into the evidence', async () => {
  const { page } = await openPage(files.smoke)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#main$/)
  const filter = page.getByRole('button', { name: /^inconclusive/ })
  await filter.focus()
  await page.keyboard.press('Space')
  expect(await filter.getAttribute('aria-pressed')).toBe('true')
  expect(await page.locator('.rules tbody tr:visible').count()).toBe(1)
  const evidence = page.locator('.limits summary').nth(1)
  await evidence.focus()
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await page.keyboard.press('Enter')
  expect(await page.locator('.limits details[open]').count()).toBe(1)
})

test('passed rules are folded by group, and a filter unfolds them', async () => {
  const dir = join(parent, 'many')
  const rules = RULES.slice(0, 20).map(({ id }) => id)
  const findings = rules.map(
    (rule, index): Finding => ({ ...HELD, rule, evidence: [], verdict: index === 0 ? 'fail' : 'pass' }),
  )
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 0,
    samplesPerSecond: 0,
    series: [],
    run: { rules },
    findings,
  })
  await renderRun({ dir, nowMs: 0 })
  const { page } = await openPage(join(dir, 'report.html'))
  const visible = () => page.locator('.rules tbody tr:visible').count()
  const press = (name: RegExp) => page.getByRole('button', { name }).click()
  expect(await page.locator('.folded summary').allTextContents()).toEqual([
    'wire: 13 passed',
    'paging: 6 passed',
  ])
  expect(await visible()).toBe(1)
  await press(/^pass/)
  expect(await visible()).toBe(19)
  await press(/^fail/)
  expect([await visible(), await page.locator('.folded:visible').count()]).toEqual([1, 0])
  await press(/^all/)
  expect([await visible(), await page.locator('.folded:visible').count()]).toEqual([1, 2])
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('.on-paper:visible').allTextContents()).toEqual([
    expect.stringMatching(/^wire: 13 passed: wire\./),
    expect.stringMatching(/^paging: 6 passed: paging\./),
  ])
})

test('print unfolds everything in light colors, without buttons', async () => {
  const { page } = await openPage(files.smoke, { colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  expect(await page.locator('.filter:visible, nav:visible, summary:visible').count()).toBe(0)
  expect(await page.locator('.limits details:not([open]), .rules details:not([open])').count()).toBe(0)
  expect(await page.locator('.limits pre.command').first().isVisible()).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(28, 32, 36)')
  await page.evaluate("dispatchEvent(new Event('afterprint'))")
  expect(await page.locator('.limits details[open]').count()).toBe(0)
})

test('an empty run says so in each section', async () => {
  const { page } = await openPage(files.empty)
  const said = await page.locator('.nothing').allTextContents()
  expect(said).toEqual([
    'None of the selected rules tests a limit. Omit --rules to judge all limits.',
    'This run judged no rules.',
    'No objectives: latency was not judged, because --no-load was given or the target does not allow load.',
    'No client opened a socket: --rules selected no rule of the live feed.',
  ])
})

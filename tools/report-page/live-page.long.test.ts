// The live view in a real browser, while its run folder grows.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { HOSTILE_NAMES } from '../../reports/hostile-text.ts'
import { requests } from '../../reports/series/test-points.ts'
import { makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { openLiveView } from '../../scripts/live/live-view.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { measureWidth, openPage, pageTest as test, wrongByAxe } from './open-page.ts'

const WAIT = { timeout: 30_000 }

/** The live view of a run that is still going on, with two seconds of requests. */
async function serveRunning(name = 'pools') {
  const dir = temporaryFolder()
  const run = { job: 'load', state: 'running', finishedAt: null } as const
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [], run })
  const series = join(dir, 'series.ndjson')
  const header = readFileSync(series, 'utf8').split('\n')[0] ?? ''
  writeFileSync(series, `${header}\n`)
  const add = (second: number, group = name) => {
    const time = SYNTHETIC_START + second
    const tags = { route_group: group, name: `GET /${group}`, status: '200' }
    const point = requests(30 + second, 8, { time, tags })
    appendFileSync(series, `${JSON.stringify(point)}\n`)
  }
  add(0)
  add(1)
  const view = await openLiveView()
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= view.end()
    return ended
  }
  onTestFinished(end)
  view.watch({ dir })
  const finish = () => {
    const file = join(dir, 'run.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state: 'finished' }))
    return end()
  }
  return { url: view.url, dir, header, add, finish }
}

const points = (page: Page, title: string) =>
  page.getByRole('slider', { name: title }).getAttribute('aria-valuemax')

function pixels(page: Page): Promise<unknown> {
  return page.evaluate("document.querySelector('#latency-chart canvas').toDataURL()")
}

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)(
  'charts, figures and tables grow with the run, $colorScheme and $width wide',
  async ({ colorScheme, width }) => {
    const { url, add, finish } = await serveRunning()
    const { page, browserProblems } = await openPage(url, { colorScheme, width })
    expect(await points(page, 'Latency over time')).toBe('2')
    expect(await page.textContent('header')).toContain('61 in 2 s, 0 failed')
    const before = await pixels(page)
    add(2)
    await vi.waitFor(async () => expect(await points(page, 'Latency over time')).toBe('3'), WAIT)
    expect(await points(page, 'Requests and errors per second')).toBe('3')
    expect(await page.textContent('header')).toContain('93 in 3 s, 0 failed')
    expect(await page.locator('.figures-table tbody tr').count()).toBeGreaterThan(0)
    expect(await pixels(page)).not.toBe(before)
    expect(await measureWidth(page)).toBeLessThanOrEqual(width)
    expect(await wrongByAxe(page)).toEqual([])
    await finish()
    await page.getByText('The run has ended: inconclusive. This page no longer changes.').waitFor()
    expect(await page.locator('section[aria-labelledby=reproduce]').count()).toBe(1)
    expect(await page.title()).toBe('inconclusive: load of synthetic')
    expect(browserProblems).toEqual([])
  },
)

test('an update keeps the focus, the cursor, the selected group and open tables', async () => {
  const { url, add } = await serveRunning()
  for (let second = 2; second < 20; second += 1) add(second)
  add(19, 'swaps')
  const { page, browserProblems } = await openPage(url)
  await page.getByLabel('Show', { exact: true }).selectOption('swaps')
  await page.getByText('Latency distribution as a table').click()
  const latency = page.getByRole('slider', { name: 'Latency over time' })
  await latency.focus()
  for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key)
  // A group that sorts before the selected one takes its place in the list.
  add(20, 'apples')
  await vi.waitFor(async () => expect(await page.textContent('header')).toContain('21 s'), WAIT)
  expect(await page.evaluate('document.activeElement.className')).toBe('plot')
  expect(await latency.getAttribute('aria-valuenow')).toBe('2')
  expect(await page.locator('#group').inputValue()).toBe('3')
  expect(await page.locator('details[open] summary').allTextContents()).toEqual([
    'Latency distribution as a table',
  ])
  expect(browserProblems).toEqual([])
})

test('a trial that is merged into the series stays in the charts', async () => {
  const { url, dir, header, add } = await serveRunning()
  const { page, browserProblems } = await openPage(url)
  const trial = join(dir, 'trials', '1')
  mkdirSync(trial, { recursive: true })
  const tags = { route_group: 'pools', name: 'GET /pools', status: '200', trial: '1' }
  const line = JSON.stringify(requests(7, 8, { time: SYNTHETIC_START + 2, tags }))
  writeFileSync(join(trial, 'series-1.ndjson'), `${header}\n${line}\n`)
  await vi.waitFor(async () => expect(await page.textContent('header')).toContain('68 in 3 s'), WAIT)
  appendFileSync(join(dir, 'series.ndjson'), `${line}\n`)
  rmSync(join(dir, 'trials'), { recursive: true })
  add(3)
  await vi.waitFor(async () => expect(await page.textContent('header')).toContain('101 in 4 s'), WAIT)
  expect(browserProblems).toEqual([])
})

test.each(Object.entries(HOSTILE_NAMES))('a route with %s in its name stays text', async (_what, name) => {
  const { url, add } = await serveRunning(name)
  const { page, browserProblems } = await openPage(url, { width: 390 })
  add(2)
  await vi.waitFor(async () => expect(await page.textContent('header')).toContain('in 3 s'), WAIT)
  expect(await page.locator('main img, main script, main b, main a[href^=javascript]').count()).toBe(0)
  expect(await measureWidth(page)).toBeLessThanOrEqual(390)
  expect(browserProblems).toEqual([])
})

test('without scripts, the page has the figures and a link to reload', async () => {
  const { url, add } = await serveRunning()
  const { page } = await openPage(url, { javaScriptEnabled: false })
  expect(await page.textContent('header')).toContain('61 in 2 s')
  add(2)
  await page.getByRole('link', { name: 'Reload' }).click()
  expect(await page.textContent('header')).toContain('93 in 3 s')
})

test('an update keeps the zoom', async () => {
  const { url, add } = await serveRunning()
  for (let second = 2; second < 20; second += 1) add(second)
  const { page, browserProblems } = await openPage(url)
  const { x, y, width, height } = await boxOf(page)
  const middle = y + height / 2
  const rightEnd = async () => {
    await page.mouse.move(x + width / 2, middle)
    await page.mouse.move(x + width - 2, middle)
    return page.locator('#latency-chart .legend .value').first().textContent()
  }
  expect(await rightEnd()).toBe('0:19')
  await page.mouse.move(x + width * 0.25, middle)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.5, middle, { steps: 4 })
  await page.mouse.up()
  const zoomed = await rightEnd()
  expect(zoomed).toMatch(/^0:(09|10)$/)
  add(20)
  await vi.waitFor(async () => expect(await page.textContent('header')).toContain('21 s'), WAIT)
  expect(await rightEnd()).toBe(zoomed)
  await page.mouse.dblclick(x + width / 2, middle)
  expect(await rightEnd()).toBe('0:20')
  expect(browserProblems).toEqual([])
})

async function boxOf(page: Page) {
  const over = page.locator('#latency-chart .u-over')
  await over.scrollIntoViewIfNeeded()
  const box = await over.boundingBox()
  if (box === null) throw new Error('the chart is not shown')
  return box
}

test('a run folder that disappears leaves the last figures', async () => {
  const { url, dir } = await serveRunning()
  const { page, browserProblems } = await openPage(url)
  rmSync(dir, { recursive: true })
  await page.getByText('The run folder cannot be read.').waitFor()
  expect(await page.textContent('header')).toContain('61 in 2 s')
  expect(browserProblems).toEqual([])
})

test('says when there is no connection, and keeps the last figures', async () => {
  const { url } = await serveRunning()
  const { page } = await openPage(url)
  await page.route('**/events', (route) => route.abort())
  await page.reload()
  await page.getByText('No connection to the run').waitFor()
  expect(await page.textContent('header')).toContain('61 in 2 s')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { renderRun } from '../../reports/render-run.ts'
import { requests, sumPoint, trendPoint } from '../../reports/series/test-points.ts'
import { makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { measureWidth, openPage, pageTest as test } from './open-page.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)>\ud800'

/** Per second: pools gets 30 requests of 8 ms each, one in second 12 of 1,000 ms; swaps gets requests in seconds 5 to 14. */
const SECONDS = Array.from({ length: 20 }, (_, second) => second)
const POINTS = SECONDS.flatMap((second) => {
  const at = (route_group: string) => ({
    time: SYNTHETIC_START + second,
    tags: { route_group, name: `GET /${route_group}`, status: '200' },
  })
  const ofFeed = { time: SYNTHETIC_START + second, tags: {} }
  return [
    requests(30, 8, at('pools')),
    ...(second === 12 ? [requests(1, 1000, at('pools'))] : []),
    ...(second >= 5 && second < 15 ? [requests(10, 64, at('swaps'))] : []),
    ...(second === 7 ? [sumPoint(2, { metric: 'http_req_failed', type: 'rate', ...at('swaps') })] : []),
    requests(1, 2, at(HOSTILE)),
    trendPoint(Array<number>(20).fill(4), { metric: 'feed_delay_upper_bound', ...ofFeed }),
    sumPoint(3, { metric: 'ws_sessions', ...ofFeed }),
    sumPoint(50 + second, { metric: 'ws_msgs_received', ...ofFeed }),
  ]
})

const CHARTS = [
  'latency-chart',
  'heat-chart',
  'rate-chart',
  'feed-delay-chart',
  'sockets-chart',
  'messages-chart',
]

let file: string
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [] })
  const header = { type: 'header', format: 1, k6: '2.2.0', start: '2026-01-02T03:04:05.000Z', scale: 7 }
  const lines = [header, ...POINTS, { type: 'end', time: '2026-01-02T03:04:25.000Z', samples: 0 }]
  writeFileSync(join(dir, 'series.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await renderRun({ dir, nowMs: 0 })
  file = join(dir, 'report.html')
})
afterAll(() => rmSync(join(file, '..'), { recursive: true, force: true }))

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)('all charts are drawn, $colorScheme and $width wide', async ({ width, colorScheme }) => {
  const { page, browserProblems } = await openPage(file, { width, colorScheme })
  expect(await drawn(page)).toEqual(CHARTS)
  for (const fold of await page.locator('#latency ~ details summary').all()) await fold.click()
  expect(await measureWidth(page)).toBeLessThanOrEqual(width)
  expect(browserProblems).toEqual([])
})

test('keys move along a chart, and screen readers get its values', async () => {
  const { page, browserProblems } = await openPage(file)
  const latency = page.getByRole('slider', { name: 'Latency over time' })
  await latency.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  expect(await heard(page)).toBe('0:18, p50 of 1 s 7.978 ms, p25 to p75 7.978 to 7.978 ms')
  await page.keyboard.press('Home')
  expect(await latency.getAttribute('aria-valuenow')).toBe('1')
  await page.getByRole('slider', { name: 'Requests and errors per second' }).focus()
  await page.keyboard.press('End')
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowLeft')
  expect(await heard(page)).toBe('0:07, requests 41 /s, failed 2 /s, dropped 0 /s')
  expect(browserProblems).toEqual([])
})

test('the cells of the heat map are read by time and latency', async () => {
  const { page } = await openPage(file)
  await page.getByRole('slider', { name: 'Latency distribution over time' }).focus()
  await page.keyboard.press('Home')
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight')
  const seen = new Set<string>()
  for (let step = 0; step < 80; step += 1) {
    seen.add(await heard(page))
    await page.keyboard.press(step < 40 ? 'ArrowUp' : 'ArrowDown')
  }
  const cells = [...seen].filter((text) => !text.includes(': 0 of'))
  expect(cells).toContain('0:12, 861 to 1024 ms: 1 of 42 requests')
  expect(cells.some((text) => text.endsWith(': 30 of 42 requests'))).toBe(true)
  expect(cells.some((text) => text.endsWith(': 10 of 42 requests'))).toBe(true)
})

test('a route group has its own charts, texts and tables, and the URL keeps the selection', async () => {
  const { page, browserProblems } = await openPage(file)
  const gist = () => page.locator('figcaption [data-group]:visible').last().textContent()
  expect(await gist()).toContain('31 to 42 requests per second')
  await page.getByLabel('Show').selectOption({ label: 'swaps' })
  expect(await gist()).toContain('0 to 10 requests per second, highest at 0:05; up to 2 failed')
  expect(new URL(page.url()).hash).toBe('#group=swaps')
  await page.reload()
  expect(await gist()).toContain('0 to 10 requests')
  await page.evaluate("location.hash = '#group=%E0%A4%A'")
  expect(await gist()).toContain('0 to 10 requests')
  expect(browserProblems).toEqual([])
})

test('a group with a hostile name can be selected like any other', async () => {
  const { page, browserProblems } = await openPage(file)
  await page.getByLabel('Show').selectOption({ index: 1 })
  await page.reload()
  const shown = page.locator('figcaption [data-group]:visible').last()
  expect(await shown.textContent()).toContain('1 requests per second throughout')
  expect(await page.locator('#group option').nth(1).textContent()).toBe(HOSTILE.replace('\ud800', '\\ud800'))
  expect(browserProblems).toEqual([])
})

// --p50-line of page.css.
const LIGHT = '31,95,168'
const DARK = '111,177,245'

test('charts follow the reader’s color scheme on screen, and are light on paper', async () => {
  const { page, browserProblems } = await openPage(file, { colorScheme: 'dark' })
  // Chromium notifies a page of a change after a frame or two.
  const drawnIn = (color: string) => waitForColor(page, { chart: 'latency-chart', color })
  await drawnIn(DARK)
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  await drawnIn(LIGHT)
  await page.evaluate("dispatchEvent(new Event('afterprint'))")
  await drawnIn(DARK)
  await page.emulateMedia({ colorScheme: 'light' })
  await drawnIn(LIGHT)
  expect(browserProblems).toEqual([])
})

test('a hidden line stays hidden after a redraw', async () => {
  const { page } = await openPage(file)
  const median = page.locator('#latency-chart').getByRole('button', { name: 'p50' })
  await median.click()
  expect(await readColors(page, 'latency-chart')).not.toContain(LIGHT)
  await page.getByLabel('Show').selectOption({ label: 'pools' })
  expect(await median.getAttribute('aria-pressed')).toBe('false')
  expect(await readColors(page, 'latency-chart')).not.toContain(LIGHT)
  await median.click()
  expect(await readColors(page, 'latency-chart')).toContain(LIGHT)
})

/** The screen reader text of the focused chart. */
async function heard(page: Page): Promise<string> {
  return String(await page.evaluate("document.activeElement.getAttribute('aria-valuetext')"))
}

/** Ids of the charts with anything on their canvas. */
async function drawn(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('.chart canvas')].filter((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.some((value) => value !== 0)
  }).map((canvas) => canvas.closest('.chart').id)`)
}

/** Resolves once the chart has an opaque pixel of this color, `red,green,blue`; otherwise the test times out. */
async function waitForColor(page: Page, { chart, color }: { chart: string; color: string }): Promise<void> {
  // Uses a copy: Chromium warns about repeated reads of a canvas.
  await page.evaluate(`new Promise((resolve) => {
    const { width, height } = document.querySelector('#${chart} canvas')
    const copy = Object.assign(document.createElement('canvas'), { width, height })
    const context = copy.getContext('2d', { willReadFrequently: true })
    const look = () => {
      context.clearRect(0, 0, width, height)
      context.drawImage(document.querySelector('#${chart} canvas'), 0, 0)
      const { data } = context.getImageData(0, 0, width, height)
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] === 255 && data.slice(at, at + 3).join() === '${color}') return resolve()
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`)
}

/** All opaque colors of a chart's canvas, after pending drawing. */
async function readColors(page: Page, chart: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => {
    const canvas = document.querySelector('#${chart} canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const colors = new Set()
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colors.add(data.slice(at, at + 3).join())
    resolve([...colors])
  }))`)
}

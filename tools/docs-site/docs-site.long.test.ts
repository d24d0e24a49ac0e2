// The docs site in a browser: every page and link, search, light and dark, on a phone.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { measureWidth, wrongByAxe } from '../report-page/open-page.ts'
import { IN_FULL, sampleByTree } from '../test/tree-sample.ts'
import { useChromium } from '../test/use-chromium.ts'

const { test, browser } = useChromium()

/** Served from the built files, without a network. */
const SITE = 'http://docs.test'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  const vitepress = projectPath('node_modules/vitepress/bin/vitepress.js')
  execFileSync(process.execPath, [vitepress, 'build', projectPath('tools/docs-site'), '--outDir', folder])
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Pages of the site: `/docs/`, `/docs/reference/cli.html`. */
function sitePages(): { name: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html') && !path.startsWith('sample-reports/') && path !== '404.html')
    .map((path) => ({ name: `/${path.replace(/(^|\/)index\.html$/, '$1')}` }))
}

/** The built file of an address, if there is one. */
function findBuiltFile(path: string): string | undefined {
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path)
  return existsSync(file) && statSync(file).isFile() ? file : undefined
}

/** A tab, and everything that the browser reported: messages, errors, and requests for what the site does not have. */
async function openTab(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
  const context = await browser().newContext({ viewport: { width: 1280, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  await context.route('**/*', (route) => {
    const { origin, pathname } = new URL(route.request().url())
    const file = origin === SITE ? findBuiltFile(decodeURIComponent(pathname)) : undefined
    if (file !== undefined) return route.fulfill({ path: file })
    problems.push(`no such file: ${route.request().url()}`)
    return route.abort()
  })
  return { page, problems }
}

const PHONE = { viewport: { width: 390, height: 844 } }

test('each page opens on a phone without scrolling sideways', {
  timeout: IN_FULL ? 600_000 : 60_000,
}, async () => {
  const { page, problems } = await openTab(PHONE)
  const wide: string[] = []
  for (const { name } of sampleByTree(sitePages(), 15)) {
    await page.goto(SITE + name)
    await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
    if ((await measureWidth(page)) > PHONE.viewport.width) wide.push(name)
  }
  expect({ wide, problems }).toEqual({ wide: [], problems: [] })
})

test('each link has its page and anchor', () => {
  const pages = sitePages().map(({ name }) => ({
    name,
    html: readFileSync(findBuiltFile(name) ?? '', 'utf8'),
  }))
  const listAttributes = (html: string, pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
  const anchors = new Map(
    pages.map(({ name, html }) => [name, new Set(listAttributes(html, /<[a-z][^<>]* id="([^"]*)"/g))]),
  )
  const links = pages.flatMap(({ name, html }) =>
    [...new Set(listAttributes(html, /<a [^<>]*href="([^"]*)"/g))].map((href) => ({ from: name, href })),
  )
  const dead = links.filter(({ from, href }) => {
    const url = new URL(href, SITE + from)
    if (url.origin !== SITE) return false
    const path = decodeURIComponent(url.pathname)
    const ids = anchors.get(path)
    return ids === undefined
      ? findBuiltFile(path) === undefined
      : url.hash !== '' && !ids.has(decodeURIComponent(url.hash.slice(1)))
  })
  expect(dead).toEqual([])
  expect(anchors.size).toBeGreaterThan(60)
  expect(links.length).toBeGreaterThan(anchors.size * 10)
})

/** The theme's search button shows its shortcut, which its label lacks. Markdown tables always have a header, which may be empty. */
const NOT_OURS = /^(label-content-name-mismatch|empty-table-header): /

const SCHEMES = ['light', 'dark'] as const

test('axe finds no problem in either color scheme', { timeout: IN_FULL ? 1_800_000 : 60_000 }, async () => {
  const found: string[] = []
  for (const colorScheme of SCHEMES) {
    const { page } = await openTab({ colorScheme })
    for (const { name } of sampleByTree(sitePages(), 3)) {
      await page.goto(SITE + name)
      const lines = (await wrongByAxe(page)).filter((line) => !NOT_OURS.test(line))
      found.push(...lines.map((line) => `${name}, ${colorScheme}: ${line}`))
    }
  }
  expect(found).toEqual([])
})

/** Typed by newcomers. */
const WORDS = [
  'regression',
  'percentile',
  'p95',
  'flaky',
  'rate limit',
  '429',
  'websocket',
  'reconnect',
  'breakpoint test',
  'conformance',
  'threshold',
  'CI',
  'GitHub Actions',
  'Kubernetes',
  'fault injection',
  'mock server',
  'histogram',
  'waiver',
  'baseline',
  'exit code',
]

test('search: each word is on the page of one of the first three results', async () => {
  const { page, problems } = await openTab()
  await page.goto(`${SITE}/`)
  // Only the mounted app listens to keys.
  await page.waitForFunction("'__vue_app__' in document.querySelector('#app')")
  await page.keyboard.press('Control+k')
  const box = page.locator('.search-input')
  const results = page.locator('.results a.result')
  const missed: string[] = []
  for (const word of WORDS) {
    await box.fill('')
    await results.first().waitFor({ state: 'detached' })
    await box.fill(word)
    await results.first().waitFor()
    const hrefs = await results.evaluateAll((all) =>
      all.slice(0, 3).map((one) => one.getAttribute('href') ?? ''),
    )
    const texts = hrefs.map((href) => pageText(new URL(href, SITE).pathname))
    if (!texts.some((text) => text.includes(word.toLowerCase()))) missed.push(`${word}: ${hrefs.join(' ')}`)
  }
  expect(missed).toEqual([])
  await results.first().click()
  await page.waitForURL(/exit-codes/)
  expect(problems).toEqual([])
})

/** In lower case, without markup. */
function pageText(path: string): string {
  const html = readFileSync(findBuiltFile(path) ?? '', 'utf8')
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? []
  return main.replaceAll(/<[^>]*>/g, '').toLowerCase()
}

const REPORTS = ['smoke/report', 'load/report', 'capacity/report', 'comparison/comparison', 'case/timeline']

test.each(REPORTS)('the page of sample reports shows %s, which opens without problems', async (report) => {
  const { page, problems } = await openTab(PHONE)
  await page.goto(`${SITE}/docs/get-started/sample-reports.html`)
  const frame = page.locator(`iframe[src$="/${report}.html"]`)
  await frame.scrollIntoViewIfNeeded()
  expect(await frame.contentFrame().locator('h1').isVisible()).toBe(true)
  await page.goto(`${SITE}/sample-reports/${report}.html`)
  expect(await measureWidth(page)).toBeLessThanOrEqual(PHONE.viewport.width)
  expect(await wrongByAxe(page)).toEqual([])
  expect(problems).toEqual([])
})

test('code blocks with marks for tests are highlighted as shell, without the marks', async () => {
  const { page } = await openTab()
  await page.goto(`${SITE}/`)
  const block = page.locator('.language-sh', { hasText: 'npx breakwater smoke --mutant' })
  expect(await block.locator('.lang').textContent()).toBe('sh')
  expect(await block.locator('code span[style]').count()).toBeGreaterThan(10)
  expect(await block.textContent()).not.toContain('elsewhere')
})

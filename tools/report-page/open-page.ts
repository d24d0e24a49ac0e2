import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { useChromium } from '../test/use-chromium.ts'

const { test, browser } = useChromium()

/** Skipped without Chromium. */
export const pageTest = test

/**
 * A page in a separate browser, and everything that the browser reported: messages, errors, dialogs, network requests.
 * `file` may also be the address of a server, which the page may then use.
 */
export async function openPage(
  file: string,
  { width = 1280, ...options }: { width?: number } & BrowserContextOptions = {},
): Promise<{ page: Page; browserProblems: string[] }> {
  const context = await browser().newContext({ viewport: { width, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const isServed = file.startsWith('http://')
  const browserProblems: string[] = []
  page.on('console', (message) => browserProblems.push(message.text()))
  page.on('pageerror', (error) => browserProblems.push(error.message))
  page.on('dialog', (dialog) => browserProblems.push(dialog.message()))
  page.on('request', (request) => {
    if (!request.url().startsWith(isServed ? file : 'file:')) browserProblems.push(request.url())
  })
  await page.goto(isServed ? file : pathToFileURL(file).href)
  return { page, browserProblems }
}

/** Layout width in CSS pixels: larger than the window if the page scrolls sideways. */
export async function measureWidth(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth'))
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** axe violations of WCAG 2.2 AA and best practices: a line each, with the first elements concerned. */
export async function wrongByAxe(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} }, resultTypes: ['violations'] })`,
  )) as AxeResults // as: axe's result
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 200)} (${failureSummary ?? ''})`)
        .join(' | ')} (${nodes.length})`,
  )
}

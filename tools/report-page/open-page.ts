/** For tests in Chromium: pages of reports, opened from their files. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { useChromium } from '../test/use-chromium.ts'

const { test, browser } = useChromium()

/** Where there is a Chromium. */
export const pageTest = test

/** A page in a browser of its own, and all that the browser had to say: messages, errors, dialogs, requests to a network. */
export async function openPage(
  file: string,
  { width = 1280, ...options }: { width?: number } & BrowserContextOptions = {},
): Promise<{ page: Page; troubles: string[] }> {
  const context = await browser().newContext({ viewport: { width, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', (message) => troubles.push(message.text()))
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('dialog', (dialog) => troubles.push(dialog.message()))
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) troubles.push(request.url())
  })
  await page.goto(pathToFileURL(file).href)
  return { page, troubles }
}

/** How wide the page is laid out, in CSS pixels: more than its window where it must be scrolled sideways. */
export async function widthOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth'))
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong with a page by WCAG 2.2 AA and by good practice: a line each, with the first elements that have it. */
export async function wrongByAxe(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} }, resultTypes: ['violations'] })`,
  )) as AxeResults // as: axe says so
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 200)} (${failureSummary ?? ''})`)
        .join(' | ')} (${nodes.length})`,
  )
}

// Pages show hostile names as text, and nothing else happens.
import { join } from 'node:path'
import { expect } from 'vitest'
import { HOSTILE_NAMES } from '../../reports/hostile-text.ts'
import { visible } from '../../reports/visible.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { renderHostileRun } from './hostile-run.ts'
import { measureWidth, openPage, pageTest as test } from './open-page.ts'

const STRUCTURE = `[...document.querySelectorAll('*')].map(({ tagName }) => tagName).join(' ')`

test.each(Object.entries(HOSTILE_NAMES))('a name with %s is shown as text', async (_what, name) => {
  const dir = await renderHostileRun(temporaryFolder(), name)
  const { page, browserProblems } = await openPage(join(dir, 'report.html'), { width: 390 })
  expect(browserProblems).toEqual([])
  expect(await measureWidth(page)).toBeLessThanOrEqual(390)
  expect(plain(await page.textContent('header .kind'))).toContain(plain(visible(name)))
  for (const section of ['limits', 'rules', 'slo', 'reproduce', 'notes', 'changes']) {
    expect(await page.locator(`section[aria-labelledby=${section}]`).count()).toBe(1)
  }
  expect(plain(await page.textContent('section[aria-labelledby=limits]'))).toContain(plain(visible(name)))
  expect(await page.evaluate(STRUCTURE)).toBe(await readTameStructure())
})

let tame: unknown
/** The structure of the page with a harmless name. */
async function readTameStructure(): Promise<unknown> {
  if (tame !== undefined) return tame
  const dir = await renderHostileRun(temporaryFolder(), 'tame')
  const { page } = await openPage(join(dir, 'report.html'), { width: 390 })
  tame = await page.evaluate(STRUCTURE)
  return tame
}

/** Folds white space like a browser. */
function plain(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}

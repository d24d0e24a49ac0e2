import { type Browser, chromium } from 'playwright-core'
import { afterAll, test as anyTest, beforeAll } from 'vitest'
import { CHROMIUM_REMEDY, findChromium, foundOrSkipped } from './programs.ts'

/**
 * For a file of tests in a real Chromium: a `test` that runs where there is one, and the browser, started once before the
 * tests and closed after them. `args` go to its command line.
 */
export function useChromium(args: readonly string[] = []) {
  const executablePath = foundOrSkipped(findChromium(process.env), {
    what: 'Chromium',
    remedy: CHROMIUM_REMEDY,
    env: process.env,
    tell: console.error,
  })
  let started: Browser | undefined
  beforeAll(async () => {
    if (executablePath === undefined) return
    // Root, as CI may be, gets no browser with a sandbox; it loads pages of ours alone.
    started = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
  })
  afterAll(() => started?.close())
  return {
    test: anyTest.runIf(executablePath),
    browser(): Browser {
      if (started === undefined) throw new Error('Chromium is started before the first test, not before')
      return started
    },
  }
}

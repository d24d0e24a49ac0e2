import { type Browser, chromium } from 'playwright-core'
import { afterAll, test as anyTest, beforeAll } from 'vitest'
import { CHROMIUM_REMEDY, findChromium, foundOrSkipped } from './programs.ts'

/** A `test` that is skipped without Chromium, and a browser for all tests of a file. `args` are passed to the browser. */
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
    // Root, as in CI, cannot use the sandbox; only trusted pages are loaded.
    started = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
  })
  afterAll(() => started?.close())
  return {
    test: anyTest.runIf(executablePath),
    browser(): Browser {
      if (started === undefined) throw new Error('Chromium is only available during tests')
      return started
    },
  }
}

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { findChromium } from './find-chromium.ts'

test('finds the first of the known names that may be run, in any folder of the PATH', () => {
  const [one, two] = [temporaryFolder(), temporaryFolder()]
  const PATH = ['bin', '', one, two].join(delimiter)
  expect(findChromium({ PATH })).toBeUndefined()
  program(one, 'google-chrome')
  expect(findChromium({ PATH })).toBe(join(one, 'google-chrome'))
  writeFileSync(join(one, 'chromium'), '')
  mkdirSync(join(two, 'chromium-browser'))
  expect(findChromium({ PATH })).toBe(join(one, 'google-chrome'))
  program(two, 'chromium')
  expect(findChromium({ PATH })).toBe(join(two, 'chromium'))
})

test('takes the one that it is given', () => {
  const PATH = temporaryFolder()
  program(PATH, 'chromium')
  expect(findChromium({ PATH, BREAKWATER_CHROMIUM: '/opt/browser' })).toBe('/opt/browser')
})

function program(folder: string, name: string): void {
  const path = join(folder, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
}

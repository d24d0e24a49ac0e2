import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium, foundOrSkipped } from './programs.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('finds the first executable of the known names on the PATH', () => {
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

test('uses the program that is named', () => {
  const PATH = temporaryFolder()
  program(PATH, 'chromium')
  expect(findChromium({ PATH, BREAKWATER_CHROMIUM: '/opt/browser' })).toBe('/opt/browser')
})

function program(folder: string, name: string): void {
  const path = join(folder, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
}

const what = { what: 'Lynx', remedy: 'Install lynx.' }

test('reports skipped tests and the missing program', () => {
  const printed: string[] = []
  expect(foundOrSkipped(undefined, { ...what, env: {}, tell: (text) => printed.push(text) })).toBeUndefined()
  expect(printed).toEqual(['\n!!! SKIPPED: tests that need Lynx, which was not found. Install lynx.\n'])
})

test('fails if no test may be skipped', () => {
  const env = { BREAKWATER_CLIENTS: 'required' }
  const tell = () => expect.unreachable()
  expect(() => foundOrSkipped(undefined, { ...what, env, tell })).toThrow(
    'BREAKWATER_CLIENTS=required, but Lynx was not found. Install lynx.',
  )
  expect(foundOrSkipped('/usr/bin/lynx', { ...what, env, tell })).toBe('/usr/bin/lynx')
})

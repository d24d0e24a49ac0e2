import { expect, test } from 'vitest'
import { foundOrSkipped } from './found-or-skipped.ts'

const what = { what: 'Lynx', remedy: 'Install lynx.' }

test('says loudly that tests are skipped for want of something', () => {
  const told: string[] = []
  expect(foundOrSkipped(undefined, { ...what, env: {}, tell: (text) => told.push(text) })).toBeUndefined()
  expect(told).toEqual(['\n!!! SKIPPED: tests that need Lynx, which is not there. Install lynx.\n'])
})

test('fails where nothing may be skipped', () => {
  const env = { BREAKWATER_CLIENTS: 'required' }
  const tell = () => expect.unreachable()
  expect(() => foundOrSkipped(undefined, { ...what, env, tell })).toThrow(
    'BREAKWATER_CLIENTS=required, but Lynx is not there. Install lynx.',
  )
  expect(foundOrSkipped('/usr/bin/lynx', { ...what, env, tell })).toBe('/usr/bin/lynx')
})

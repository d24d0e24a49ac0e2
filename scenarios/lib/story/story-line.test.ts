import { expect, test } from 'vitest'
import { lineOf } from './story-line.ts'

test('a line has neither line ends nor the addresses that differ from run to run', () => {
  expect(lineOf('read tcp 127.0.0.1:41234->127.0.0.1:8080:\n connection  reset')).toBe(
    'read tcp <address>-><address>: connection reset',
  )
  expect(lineOf('dial [::1]:8080')).toBe('dial <address>')
})

test('a long text is cut, and says how long it is', () => {
  expect(lineOf('x'.repeat(240))).toBe('x'.repeat(240))
  expect(lineOf('x'.repeat(300))).toBe(`${'x'.repeat(240)}… (300 characters)`)
})

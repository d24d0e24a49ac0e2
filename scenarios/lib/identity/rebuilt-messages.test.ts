import { expect, test } from 'vitest'
import { rebuiltMessages } from './rebuilt-messages.ts'

test('rebuilds a message in ways of which each leaves the rest as it is', () => {
  expect(rebuiltMessages(' e\u0301\r\nx\n ').map(({ message }) => message)).toEqual([
    'e\u0301\r\nx',
    ' e\u0301\nx\n ',
    ' \u00e9\r\nx\n ',
    '\u00e9\nx',
  ])
})

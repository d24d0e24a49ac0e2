import { expect, test } from 'vitest'
import { differentRebuildings, REBUILDINGS } from './rebuilt-messages.ts'

const GIVEN = { message: ' e\u0301\r\nx\n ', nonce: 'n-1', address: 'bw1a' }

test('rebuilds a message in ways of which each leaves the rest as it is', () => {
  expect(REBUILDINGS.map(({ how, rebuild }) => [how, rebuild(GIVEN)])).toEqual([
    ['trimmed', 'e\u0301\r\nx'],
    ['with LF line ends', ' e\u0301\nx\n '],
    ['with LF for CRLF', ' e\u0301\nx\n '],
    ['normalized (NFC)', ' \u00e9\r\nx\n '],
    ['trimmed and normalized', '\u00e9\nx'],
    ['trimmed at its end', ' e\u0301\r\nx'],
    ['with CRLF line ends', ' e\u0301\r\nx\r\n '],
    ['normalized (NFD)', GIVEN.message],
    ['normalized (NFKC)', ' \u00e9\r\nx\n '],
    ['with white space collapsed', ' e\u0301 x '],
    ['as its nonce alone', 'n-1'],
    ['as address and nonce', 'bw1a\nn-1'],
  ])
})

test('leaves out what is the message itself, and what another way gives as well', () => {
  const hows = (message: string) => differentRebuildings({ ...GIVEN, message }).map(({ how }) => how)
  expect(hows(GIVEN.message)).not.toContain('normalized (NFD)')
  expect(hows(GIVEN.message)).not.toContain('normalized (NFKC)')
  expect(hows('sign n-1')).toEqual(['as its nonce alone', 'as address and nonce'])
  expect(hows('n-1')).toEqual(['as address and nonce'])
})

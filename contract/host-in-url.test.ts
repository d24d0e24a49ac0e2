import { expect, test } from 'vitest'
import { hostInUrl } from './host-in-url.ts'

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['fd00::7', '[fd00::7]'],
])('%s stands in a URL as %s', (host, shown) => {
  expect(hostInUrl(host)).toBe(shown)
})

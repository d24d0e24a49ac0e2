import { expect, test } from 'vitest'
import { shownAddress } from './shown-address.ts'

test.each([
  ['https://exchange.example/api', 'https://exchange.example/api'],
  ['https://me:secret@exchange.example:8443/api', 'https://exchange.example:8443/api'],
  ['http://me:se@cret@db:8086/k6?token=secret#secret', 'http://db:8086/k6'],
  ['http:\\\\me:secret@db\\k6', 'http:\\\\db\\k6'],
  ['http:me:secret@db', 'http:db'],
  ['//me:secret@db/k6', '//db/k6'],
  ['/login@home?next=secret', '/login@home'],
  ['not an address', 'not an address'],
])('%s is shown as %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown)
})

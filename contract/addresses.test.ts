import { expect, test } from 'vitest'
import { hostInUrl, isLoopback, shownAddress } from './addresses.ts'

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['fd00::7', '[fd00::7]'],
])('%s is written in a URL as %s', (host, shown) => {
  expect(hostInUrl(host)).toBe(shown)
})

test.each([
  ['http://127.0.0.1:8080', true],
  ['ws://127.8.9.10/feed', true],
  ['http://localhost', true],
  ['http://[::1]:1', true],
  ['https://exchange.example', false],
  ['http://127.0.0.1.example', false],
  ['http://localhost.example', false],
  ['http://10.0.0.1', false],
])('%s: %j', (url, expected) => {
  expect(isLoopback(url)).toBe(expected)
})

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

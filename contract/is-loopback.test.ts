import { expect, test } from 'vitest'
import { isLoopback } from './is-loopback.ts'

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

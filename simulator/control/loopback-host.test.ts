import { expect, test } from 'vitest'
import { isLoopbackHost } from './loopback-host.ts'

test.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1',
  '127.0.0.1:9000',
  '127.255.1.2:80',
  '[::1]',
  '[::1]:9000',
])('takes %s', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  undefined,
  '',
  'example.com',
  'localhost.example.com',
  'example.com:8080',
  '127.0.0.1.example.com',
  'xlocalhost',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.1:80',
  '[::2]',
  'user@localhost',
  'localhost/path',
  'localhost?x',
  'localhost#example.com',
  'example.com#localhost',
  'local host',
  'localhost:port',
])('refuses %s', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})

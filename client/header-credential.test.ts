import { expect, test } from 'vitest'
import { createCookieJar } from './header-credential.ts'

test('sends the newest value of each cookie to its path only', () => {
  const jar = createCookieJar()
  jar.take(headers('access=1; Path=/; HttpOnly', 'refresh=2; path=/auth; Max-Age=10'), 'csrf')
  jar.take(headers('access=3; Path=/'), undefined)
  expect(jar.cookiesFor('/auth/refresh')).toBe('access=3; refresh=2')
  expect(jar.cookiesFor('/authors')).toBe('access=3')
  expect(jar.csrfToken()).toBe('csrf')
  expect(jar.version()).toBe(2)
})

test('drops a cookie that is set to an empty value', () => {
  const jar = createCookieJar()
  jar.take(headers('access=1; Path=/'), 'csrf')
  jar.take(headers('access=; Path=/; Max-Age=0'), undefined)
  expect(jar.isEmpty()).toBe(true)
})

function headers(...cookies: string[]): Headers {
  return new Headers(cookies.map((cookie) => ['set-cookie', cookie]))
}

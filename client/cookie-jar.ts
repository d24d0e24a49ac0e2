/** The session cookies and the CSRF token, as in a browser: all tabs share one jar. */
export type CookieJar = {
  cookiesFor(path: string): string
  csrfToken(): string | undefined
  isEmpty(): boolean
  /** Increases with each sign-in and each refresh. */
  version(): number
  /** Stores the result of a sign-in or a refresh. Keeps the CSRF token if the response has no new one. */
  take(headers: Headers, csrfToken: string | undefined): void
  clear(): void
}

type Cookie = { value: string; path: string }

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, Cookie>()
  let csrf: string | undefined
  let version = 0

  return {
    cookiesFor: (path) =>
      [...cookies]
        .filter(([, cookie]) => isWithin(path, cookie.path))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; '),
    csrfToken: () => csrf,
    isEmpty: () => cookies.size === 0,
    version: () => version,
    take(headers, csrfToken) {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
        const path = /;\s*path=([^;]*)/i.exec(attributes)?.[1] ?? '/'
        if (value === '') cookies.delete(name)
        else cookies.set(name, { value, path })
      }
      csrf = csrfToken ?? csrf
      version++
    },
    clear() {
      cookies.clear()
      csrf = undefined
      version++
    },
  }
}

/** RFC 6265, section 5.1.4. */
function isWithin(path: string, of: string): boolean {
  return path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`)
}

import type { Choices } from './choices.ts'

/**
 * The same choices on a host that speaks TLS: cookies are Secure, and the name of each that is for every path of the host begins with
 * `__Host-`, by which browsers refuse one that another host or plain HTTP has set (RFC 6265bis, section 4.1.3.2).
 */
export function overTls(choices: Choices): Choices {
  const { profile, cookies } = choices
  const { access, refresh } = profile.cookies
  return {
    ...choices,
    profile: {
      ...profile,
      cookies: { access: named(access, cookies.path), refresh: named(refresh, cookies.refreshPath) },
    },
    cookies: {
      ...cookies,
      secure: true,
      extra: Object.fromEntries(
        Object.entries(cookies.extra).map(([name, value]) => [named(name, cookies.path), value]),
      ),
    },
  }
}

function named(cookie: string, path: string): string {
  return path === '/' ? `__Host-${cookie}` : cookie
}

import type { Auth } from '../../auth/auth.ts'
import { digest, matchesDigest } from '../../auth/secret.ts'

/** As `createSecret` makes them, 43 characters and no more on either side; or as `createToken` makes a JWT. */
const SECRETS =
  /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|(?<![A-Za-z0-9_-])(?:ss_)?[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g
const SHORTEST = 43

/** What of a secret stands in a URL, in words; null: none. Only a text of the very form of one is looked up. */
export function secretInUrl(
  url: string,
  { auth, csrfToken }: { auth: Pick<Auth, 'sessions'>; csrfToken: unknown },
): string | null {
  if (url.length <= SHORTEST) return null
  for (const [text] of decoded(url).matchAll(SECRETS)) {
    if (text.startsWith('ss_')) return 'an API token'
    if (typeof csrfToken === 'string' && matchesDigest(text, digest(csrfToken))) return 'the CSRF token'
    if (auth.sessions.byAccessToken(text)) return 'a session cookie'
    if (auth.sessions.hasFamily(text)) return 'a refresh cookie'
  }
  return null
}

/** What stands before a secret may be encoded, and would look like a part of it. */
function decoded(url: string): string {
  if (!url.includes('%')) return url
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

import type { Choices } from '../../../contract/profile.ts'
import { pickText } from '../pick.ts'
import type { SecretWatch } from './secret-watch.ts'

type Answer = {
  path: string
  json: unknown
  cookies: readonly { name: string; value: string; httpOnly: boolean }[]
}

/**
 * Tells the watch of the credentials that a reply hands out: the two cookies (where the profile does not name them, all that
 * scripts cannot read), the CSRF token and the API token.
 */
export function learnCredentials(
  watch: Pick<SecretWatch, 'learn'>,
  { path, json, cookies }: Answer,
  choices: Pick<Choices, 'cookies' | 'verify'>,
): void {
  const names: readonly (string | null)[] = [choices.cookies.access, choices.cookies.refresh]
  for (const { name, value, httpOnly } of cookies) {
    if (names.includes(name)) watch.learn(value, 'a session token')
    else if (names.includes(null) && httpOnly) watch.learn(value, 'a cookie')
  }
  if (/^\/auth\/(verify|refresh)$/.test(path))
    watch.learn(pickText(json, choices.verify.csrfToken), 'a CSRF token')
  if (path === '/api-tokens') watch.learn(pickText(json, 'data.token'), 'an API token')
}

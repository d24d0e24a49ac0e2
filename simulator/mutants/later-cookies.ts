/** Breaks of the attributes of session cookies: they show only to a client that keeps cookies as a browser does. */
import type { Deviation, DeviationTable } from './deviation.ts'
import { cookies, rest } from './reactions.ts'

const VERIFY = 'POST /auth/verify'
const REFRESH = 'POST /auth/refresh'
/** Cookies of a sign-in and of a refresh. */
const RULES = ['auth.verify.signs-in', 'auth.refresh.sets-access']

export const LATER_COOKIE_SYMPTOMS = {
  'auth-access-cookie-path-auth': {
    breaks: 'the access cookie has Path=/auth, so that browsers do not send it to other paths',
    rules: RULES,
    deviates: setting('access', { from: [VERIFY, REFRESH], attribute: 'Path', value: '/auth' }),
  },
  'auth-access-cookie-5-min': {
    breaks: 'the access cookie has a Max-Age of five minutes',
    rules: RULES,
    deviates: setting('access', { from: [VERIFY, REFRESH], attribute: 'Max-Age', value: '300' }),
  },
  'auth-refresh-cookie-5-min': {
    breaks: 'the refresh cookie has a Max-Age of five minutes, less than the access session lasts',
    rules: RULES,
    deviates: setting('refresh', { from: [VERIFY, REFRESH], attribute: 'Max-Age', value: '300' }),
  },
} as const satisfies DeviationTable

type Attribute = { from: readonly string[]; attribute: string; value: string }

/** Sets an attribute of one of the two cookies. */
function setting(which: 'access' | 'refresh', { from, attribute, value }: Attribute): Deviation {
  const known = new RegExp(`;\\s*${attribute}=[^;]*`, 'i')
  return rest(from, {
    reply: cookies((cookie, names) => {
      if (!cookie.startsWith(`${names[which]}=`)) return cookie
      return `${cookie.replace(known, '')}; ${attribute}=${value}`
    }),
  })
}

import type { ObserverRule } from '../observer-rule.ts'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export const csrfSent: ObserverRule = {
  id: 'client.csrf.sent',
  advice: 'Send the CSRF token of verify as X-CSRF-Token with each request by cookie that changes something.',
  watch: ({ saw, accuse }) => ({
    answered({ client, method, route, credential, isPublic, hasCsrfToken, entry }) {
      if (credential !== 'session' || isPublic || READS.has(method)) return
      saw()
      if (hasCsrfToken) return
      accuse(client, { observed: `${method} ${route} by cookie, without X-CSRF-Token`, evidence: [entry] })
    },
  }),
}

import type { ObserverRule } from '../observer-rule.ts'

export const secretsNotInUrls: ObserverRule = {
  id: 'client.secrets.not-in-urls',
  advice: 'Send credentials in headers and cookies alone: URLs end up in logs. Revoke the one that was sent.',
  watch: ({ saw, accuse }) => ({
    answered({ client, method, route, secretInUrl, entry }) {
      saw()
      if (secretInUrl === null) return
      accuse(client, {
        observed: `${method} ${route ?? '(no route)'} with ${secretInUrl} in its URL`,
        evidence: [entry],
      })
    },
    opened({ client, secretInUrl, entries }) {
      saw()
      if (secretInUrl === null) return
      accuse(client, { observed: `a socket opened with ${secretInUrl} in its URL`, evidence: entries })
    },
  }),
}

import type { ObserverRule } from '../observer-rule.ts'

export const messageExact: ObserverRule = {
  id: 'client.message.exact',
  advice:
    'Sign the UTF-8 bytes of `data.message` as they came: do not trim, normalize or put it together anew.',
  watch: ({ saw, accuse }) => ({
    answered({ client, route, alteredMessage, entry }) {
      if (route !== '/auth/verify') return
      saw()
      if (alteredMessage === null) return
      accuse(client, { observed: `the signature is over the message ${alteredMessage}`, evidence: [entry] })
    },
  }),
}

import type { ObserverRule } from '../observer-rule.ts'

const NUMBERS = /[?&](limit|offset|amount_in|minimum_revision)=/

export const inputCanonical: ObserverRule = {
  id: 'client.input.canonical',
  advice: 'Send numbers as plain ASCII digits, and amounts as JSON strings: localize for display alone.',
  watch: ({ saw, accuse }) => ({
    answered({ client, url, uncanonical, entry }) {
      if (uncanonical.length > 0 || NUMBERS.test(url)) saw()
      if (uncanonical.length === 0) return
      accuse(client, { observed: `sent ${uncanonical.join(', ')}, and was refused`, evidence: [entry] })
    },
  }),
}

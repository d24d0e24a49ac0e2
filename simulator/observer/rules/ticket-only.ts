import type { ObserverRule } from '../observer-rule.ts'

export const ticketOnly: ObserverRule = {
  id: 'client.ticket.only',
  advice: 'Get a ticket from GET /auth/ws-ticket, and send that in the authenticate frame.',
  watch: ({ saw, accuse }) => ({
    frame({ client, entries }, frame) {
      if (frame.action !== 'authenticate') return
      saw()
      const { presented, entry } = frame
      if (presented === 'a ticket' || presented === 'unknown') return
      accuse(client, { observed: `an authenticate frame with ${presented}`, evidence: [...entries, entry] })
    },
  }),
}

import type { ObserverRule } from '../observer-rule.ts'

export const ticketSamePrincipal: ObserverRule = {
  id: 'client.ticket.same-principal',
  advice:
    'Renew with a ticket of the wallet that the socket began with; open another socket for another wallet.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'authenticate') return
      if (frame.outcome === 'renewed' || frame.outcome === 'another principal') saw()
      if (frame.outcome !== 'another principal') return
      accuse(client, {
        observed: `socket ${number} was to be renewed with a ticket of another wallet`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

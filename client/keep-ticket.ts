import type { Conduct } from './conduct.ts'
import type { Ticket } from './exchange.ts'
import type { Timers } from './timers.ts'

/**
 * Renews a connection's ticket, again and again, until what it returns is called. Half of a ticket's life is left for
 * getting another, which may take several tries. Without one the connection is given up before it is cut off.
 */
export function keepTicket(options: {
  timers: Timers
  conduct: Pick<Conduct, 'ticketTimes'>
  first: Ticket
  renewed: (last: Ticket) => Promise<Ticket>
  send: (ticket: Ticket) => void
  giveUp: (why?: unknown) => void
}): () => void {
  const { timers, renewed, send, giveUp } = options
  const { renewAfterMs, giveUpAfterMs } = options.conduct.ticketTimes
  let cancel = () => {}
  let isStopped = false

  const keep = (ticket: Ticket) => {
    cancel()
    const ageMs = timers.nowMs() - ticket.askedAtMs
    const end = timers.after(giveUpAfterMs - ageMs, () => giveUp())
    const renewal = timers.after(renewAfterMs - ageMs, () => renew(ticket))
    cancel = () => {
      end.cancel()
      renewal.cancel()
    }
  }
  const renew = async (last: Ticket) => {
    try {
      const ticket = await renewed(last)
      if (isStopped) return
      send(ticket)
      keep(ticket)
    } catch (error) {
      if (!isStopped) giveUp(error)
    }
  }
  keep(options.first)
  return () => {
    isStopped = true
    cancel()
  }
}

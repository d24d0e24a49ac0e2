import { LIMITS } from '../../../contract/limits.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'

export const socketAuthenticatesInTime: ObserverRule = {
  id: 'client.socket.authenticates-in-time',
  advice: 'Get the ticket before opening the socket, and send authenticate as soon as it is open.',
  watch({ saw, accuse, leaptSince }) {
    const begun = ofEach<ObservedSocket, { yes: boolean }>(() => ({ yes: false }))
    return {
      frame(socket, { action }) {
        const state = begun(socket)
        if (action !== 'authenticate' || state.yes) return
        state.yes = true
        saw()
      },
      closed(socket, { cause, entry }) {
        if (cause !== 'deadlineMissed' || begun(socket).yes || leaptSince(socket.openedMs)) return
        saw()
        accuse(socket.client, {
          observed: `socket ${socket.number} sent no authenticate frame within ${LIMITS.wsAuthenticateSeconds} s`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'

const LATER: ReadonlySet<string> = new Set(['subscribe', 'unsubscribe', 'synchronize'])

export const socketAuthenticatesFirst: ObserverRule = {
  id: 'client.socket.authenticates-first',
  advice: 'Send authenticate first, and everything else once that has succeeded.',
  watch({ saw, accuse }) {
    const begun = ofEach<ObservedSocket, { yes: boolean }>(() => ({ yes: false }))
    return {
      frame(socket, { action, entry }) {
        const state = begun(socket)
        if (state.yes) return
        if (action === 'authenticate') state.yes = true
        saw()
        if (!LATER.has(action)) return
        accuse(socket.client, {
          observed: `${action} came on socket ${socket.number} before any authenticate frame`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

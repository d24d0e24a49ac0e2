import type { ObserverRule } from '../observer-rule.ts'

export const roomsOwnBalances: ObserverRule = {
  id: 'client.rooms.own-balances',
  advice: 'Subscribe to balances: with the address of the wallet whose ticket the socket has.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.startsWith('balances:')) return
      saw()
      if (frame.refusal !== 'room_forbidden') return
      accuse(client, {
        observed: `socket ${number} asked for the balance room of another address`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

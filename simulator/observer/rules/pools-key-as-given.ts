import type { ObserverRule } from '../observer-rule.ts'

export const poolsKeyAsGiven: ObserverRule = {
  id: 'client.pools.key-as-given',
  advice:
    'Use the key exactly as the list gave it, percent-encoded once as a part of a path, as it is in a room.',
  watch: ({ saw, accuse }) => ({
    answered({ client, route, respelledKey, entry }) {
      if (!route?.startsWith('/pools/:key')) return
      saw()
      if (respelledKey === null) return
      accuse(client, {
        observed: `asked for a pool by another spelling of its key, which is ${JSON.stringify(respelledKey)}`,
        evidence: [entry],
      })
    },
    frame({ client }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.includes(':')) return
      saw()
      if (frame.respelledKey === null) return
      accuse(client, {
        observed: `subscribed to ${JSON.stringify(frame.room)}, another spelling of the key ${JSON.stringify(frame.respelledKey)}`,
        evidence: [frame.entry],
      })
    },
  }),
}

/** Wrong behaviors on a socket: each wraps the correct wire and changes what it sends or receives. */
import type { OpenWire, Wire } from '../../client/feed-socket.ts'
import type { Tools } from '../../client/time-and-chance.ts'
import type { ClientFrame } from '../../contract/schemas/wire.ts'

type Frame = ClientFrame | (ClientFrame & { note: string })

type Socket = {
  send(frame: Frame): void
  /** Delivers a message as if from the exchange. */
  hear(message: object): void
  /** Sockets that the client opened before, and frames sent on this one, by action. */
  openedBefore: number
  given: Record<string, number>
  tools: Tools
}

/** Changes a client's frames: `change` sends the replacements of each. */
export function sending(change: (frame: ClientFrame, socket: Socket) => void) {
  return (right: OpenWire, tools: Tools): OpenWire => {
    let opened = 0
    return (events) => {
      const wire = right(events)
      const socket: Socket = {
        send: (frame) => wire.send(JSON.stringify(frame)),
        hear: (message) => events.received(JSON.stringify(message), tools.nowMs()),
        openedBefore: opened++,
        given: {},
        tools,
      }
      return {
        ...wire,
        send(text) {
          const frame = JSON.parse(text) as ClientFrame // as: what the client sends
          socket.given[frame.action] = (socket.given[frame.action] ?? 0) + 1
          change(frame, socket)
        },
      }
    }
  }
}

export function hearing(act: (message: { control?: string }, wire: Wire) => void) {
  return (right: OpenWire): OpenWire =>
    (events) => {
      const wire = right({
        ...events,
        received(text, atMs) {
          events.received(text, atMs)
          act(JSON.parse(text), wire)
        },
      })
      return wire
    }
}

export function repeating(frame: ClientFrame | { action: 'ping' }, everyMs: number) {
  return (right: OpenWire, tools: Tools): OpenWire =>
    (events) => {
      let isOpen = true
      const wire = right({
        ...events,
        closed(toldMs) {
          isOpen = false
          events.closed(toldMs)
        },
      })
      let isGreeted = false
      const repeat = () => {
        if (!isOpen) return
        wire.send(JSON.stringify(frame))
        tools.after(everyMs, repeat)
      }
      return {
        ...wire,
        send(text) {
          wire.send(text)
          if (isGreeted) return
          isGreeted = true
          tools.after(everyMs, repeat)
        },
      }
    }
}

import { z } from 'zod'
import { ControlRefusal } from './control-errors.ts'
import { type Resource, resource } from './resource.ts'

const NOTHING = z.strictObject({})

const socketSchema = z.strictObject({
  id: z.int(),
  node: z.int().describe('The gateway node that serves it, from 1'),
  address: z.string().nullable().describe('The wallet of its ticket; null until it is authenticated'),
  rooms: z.int().describe('How many it has subscribed to'),
  droppedEvents: z.int().describe('Not sent to it, because its peer did not keep up'),
})

/** As the library of the feed allows them: https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
const closeCodeSchema = z.union([
  z.int().min(1000).max(1003),
  z.int().min(1007).max(1014),
  z.int().min(3000).max(4999),
])

/** The live feed: its sockets, and the gateway nodes that serve them. */
export const SOCKET_RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/sockets',
    summary: 'The open sockets of the feed.',
    input: NOTHING,
    output: z.strictObject({ sockets: z.array(socketSchema) }),
    answer: ({ gateway }) => ({ sockets: [...gateway.sockets()] }),
  }),
  resource({
    method: 'POST',
    path: '/sockets/close',
    summary: 'Closes one socket.',
    input: z.strictObject({
      id: z.int().describe('As `/sockets` tells it'),
      code: closeCodeSchema.default(1012).describe('That it is closed with'),
    }),
    output: NOTHING,
    errors: ['socket_unknown'],
    answer({ gateway }, { id, code }) {
      if (gateway.closeSocket(id, { code, reason: 'closed by the control API' })) return {}
      const open = gateway.sockets().map((socket) => socket.id)
      throw new ControlRefusal(
        'socket_unknown',
        open.length === 0 ? 'none is open' : `expected one of ${open.join(', ')}, got ${id}`,
      )
    },
  }),
  resource({
    method: 'POST',
    path: '/gateway/restart',
    summary: 'Closes every socket with 1012, or those of one node, as a deployment does.',
    input: z.strictObject({
      node: z.int().optional().describe('As `/sockets` tells it; without it, all nodes restart'),
    }),
    output: z.strictObject({ closed: z.int().describe('How many') }),
    errors: ['node_unknown'],
    answer({ gateway }, { node }) {
      if (node !== undefined && (node < 1 || node > gateway.nodes))
        throw new ControlRefusal('node_unknown', `expected a node from 1 to ${gateway.nodes}, got ${node}`)
      return { closed: gateway.restart(node) }
    },
  }),
]

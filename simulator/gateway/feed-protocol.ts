/** Feed protocol as the specification or RFC 6455 defines it; choices/ has the rest. */

import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { type EventType, ROOM_EVENTS } from '../../contract/room-events.ts'
import { type ClientFrame, clientFrameSchema } from '../../contract/schemas/wire.ts'
import type { Choices } from '../choices/choices.ts'
import type { Close } from '../choices/feed-choices.ts'
import { eventSchema } from './events/event-schemas.ts'

export const FEED_PATH = '/ws'

export const CONTROLS = { synchronized: 'synchronized', resyncRequired: 'resync_required' } as const

/** RFC 6455, section 7.4.1: the library sends it without a reason and ignores the frame. */
export const FRAME_TOO_LARGE: Close = { code: 1009, reason: '' }

export const RESTART: Close = { code: 1012, reason: 'service restart' }

/** Values of `code` in the control for a rejected frame. */
export const FEED_ERRORS = {
  frame_invalid: 'binary, not JSON, or not one of the four actions with its field',
  room_unknown: 'no such room, or no pool with this key is indexed',
  room_forbidden: 'the balance room of an address other than that of the ticket',
  rooms_full: 'the connection already has the maximum number of rooms',
  frames_limited: 'more frames per minute than a connection may send',
} as const

export type FeedError = keyof typeof FEED_ERRORS

/**
 * AsyncAPI 3.0 description of the feed (https://www.asyncapi.com/docs/reference/specification/v3.0.0), from the schemas
 * of its frames and events. Written from the server's side: what it receives and sends.
 */
type FeedDescription = { asyncapi: string } & Record<string, unknown>

/** `address` is that of the feed host. The version is that of the specification's interface. */
export function describeFeed(options: { choices: Choices; address: string }): FeedDescription {
  const { choices, address } = options
  const { protocol, host } = new URL(address)
  const controls = controlSchemas(choices)
  const unrequested = UNREQUESTED.filter((name) => name in controls)
  const rooms = Object.entries(ROOM_EVENTS)
  const actions = clientFrameSchema.options.map((schema) => ({ action: schema.shape.action.value, schema }))
  return {
    asyncapi: '3.0.0',
    info: { title: 'Exchange live feed', version: '0.1.0', description: ABOUT },
    defaultContentType: 'application/json',
    servers: { feed: { host, protocol: protocol.replace(':', '') } },
    channels: {
      socket: {
        address: FEED_PATH,
        description: 'The socket itself: frames of clients, and the controls that reply to them.',
        messages: messageRefs([...actions.map(({ action }) => action), ...Object.keys(controls)]),
      },
      ...Object.fromEntries(rooms.map(([kind, type]) => [roomName(kind), roomChannel(kind, type)])),
    },
    operations: {
      ...Object.fromEntries(
        actions.map(({ action }) => [
          action,
          { ...operation('receive', 'socket', [action], FRAMES[action]), ...replyTo(action, controls) },
        ]),
      ),
      tell: operation('send', 'socket', unrequested, 'Messages sent without a request.'),
      ...Object.fromEntries(
        rooms.map(([kind, type]) => [
          `send_${roomName(kind)}`,
          operation('send', roomName(kind), [type], 'Sent to each socket in the room.'),
        ]),
      ),
    },
    components: {
      messages: Object.fromEntries([
        ...actions.map(({ action, schema }) => [action, message(schema, 'input')]),
        ...Object.entries(controls).map(([name, schema]) => [name, message(schema, 'output')]),
        ...rooms.map(([, type]) => [type, message(eventSchema(type, choices), 'output')]),
      ]),
    },
  }
}

const ABOUT =
  'REST is the source of truth; events are hints, delivered at most once. A client authenticates with a ticket ' +
  `within ${LIMITS.wsAuthenticateSeconds} seconds, joins up to ${LIMITS.wsRoomsPerConnection} rooms, and renews the ` +
  `ticket within its ${LIMITS.wsTicketSeconds} seconds; it sends at most ${LIMITS.wsFramesPerMinute} frames per minute, of ` +
  `at most ${LIMITS.wsFrameBytesMax} bytes. After a reconnect it joins its rooms again, sends synchronize, waits for ` +
  'synchronized and reads again. Clients ignore unknown controls and fields.'

const FRAMES: Record<ClientFrame['action'], string> = {
  authenticate: 'Authenticates with a ticket from /auth/ws-ticket, or renews with one of the same principal.',
  subscribe: 'Joins a room: the address of one of the other channels.',
  unsubscribe: 'Leaves a room.',
  synchronize: 'Requests the control synchronized, which comes when all rooms requested before are joined.',
}

const UNREQUESTED = ['greeting', 'error', 'resync_required']

const REPLIES: Partial<Record<ClientFrame['action'], string>> = {
  authenticate: 'authenticated',
  synchronize: 'synchronized',
}

const ROOMS: Record<EventType, string> = {
  PoolLaunch: 'New pools.',
  PoolStats: 'Price, liquidity and figures of a pool, after each block that changed it.',
  Ohlcv: 'The current minute of a pool, after each block with a trade in it.',
  Trade: 'Swaps, mints and burns of a pool.',
  BalanceChange: 'Balances of the address of the ticket; other addresses are rejected.',
  ProtocolConfigChanged: 'The changed parts of the configuration, without their new values.',
}

const PARAMETERS: Partial<Record<EventType, { name: string; description: string }>> = {
  PoolStats: { name: 'pool_key', description: 'as /pools lists it' },
  Ohlcv: { name: 'pool_key', description: 'as /pools lists it' },
  Trade: { name: 'pool_key', description: 'as /pools lists it' },
  BalanceChange: { name: 'address', description: 'address of the wallet that the ticket was issued to' },
}

function roomChannel(kind: string, type: EventType) {
  const parameter = PARAMETERS[type]
  return {
    address: parameter ? `${kind}{${parameter.name}}` : kind,
    description: `${ROOMS[type]} Joined with subscribe, and sent over the socket.`,
    messages: messageRefs([type]),
    ...(parameter && { parameters: { [parameter.name]: { description: parameter.description } } }),
  }
}

function roomName(kind: string): string {
  return kind.replace(':', '')
}

function operation(
  action: 'send' | 'receive',
  channel: string,
  messages: readonly string[],
  summary: string,
) {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${channel}` },
    messages: inChannel(channel, messages),
  }
}

function replyTo(action: ClientFrame['action'], controls: Readonly<Record<string, unknown>>) {
  const control = REPLIES[action]
  if (control === undefined || !(control in controls)) return {}
  return { reply: { channel: { $ref: '#/channels/socket' }, messages: inChannel('socket', [control]) } }
}

function messageRefs(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]))
}

function inChannel(channel: string, messages: readonly string[]) {
  return messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }))
}

/** Input schemas accept further keys; output schemas do not. */
function message(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...payload } = z.toJSONSchema(schema, { target: 'draft-7', io })
  return { payload }
}

/** Every control that the server sends, as the choices spell it; omits those that the choices do not have. */
function controlSchemas({ feed }: Pick<Choices, 'feed'>): Record<string, z.ZodType> {
  const { greeting, authenticated, error } = feed.controls
  return {
    ...(greeting !== null && { greeting: z.object({ control: z.literal(greeting) }) }),
    ...(authenticated !== null && { authenticated: z.object({ control: z.literal(authenticated) }) }),
    ...(error !== null && {
      error: z.object({
        control: z.literal(error),
        // as: the keys of the table are its codes
        code: z.enum(Object.keys(FEED_ERRORS) as [FeedError, ...FeedError[]]),
        room: z.string().optional().describe('room of the frame'),
      }),
    }),
    synchronized: z.object({ control: z.literal(CONTROLS.synchronized) }),
    resync_required: z.object({ control: z.literal(CONTROLS.resyncRequired) }),
  }
}

/** What of the feed is stated, by the specification or by RFC 6455; what is open is in choices/. */

import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import {
  type ClientFrame,
  clientFrameSchema,
  type EventType,
  ROOM_EVENTS,
} from '../../contract/schemas/feed.ts'
import type { Choices } from '../choices/choices.ts'
import type { Close } from '../choices/feed-choices.ts'
import { eventSchema } from './events/event-schemas.ts'

export const FEED_PATH = '/ws'

/** Values of `control` that the specification names. */
export const CONTROLS = { synchronized: 'synchronized', resyncRequired: 'resync_required' } as const

/** RFC 6455, section 7.4.1: the library sends it, without a reason, and acts on nothing of the frame. */
export const FRAME_TOO_LARGE: Close = { code: 1009, reason: '' }

export const RESTART: Close = { code: 1012, reason: 'service restart' }

/** Values of `code` in the control that tells of a refused frame. */
export const FEED_ERRORS = {
  frame_invalid: 'binary, not JSON, or not one of the four actions with its field',
  room_unknown: 'no such room, or no pool with this key is indexed',
  room_forbidden: "the balance room of another address than the ticket's",
  rooms_full: 'the connection holds as many rooms as it may',
  frames_limited: 'more frames in a minute than a connection may send',
} as const

export type FeedError = keyof typeof FEED_ERRORS

/**
 * The feed, described for machines: AsyncAPI 3.0, https://www.asyncapi.com/docs/reference/specification/v3.0.0, made
 * from the schemas that frames are read with and events are built by. It speaks for the server: what that receives and
 * sends.
 */
type FeedDescription = { asyncapi: string } & Record<string, unknown>

/** `address` is that of the feed's host. The version is that of the specification's interface. */
export function describeFeed(options: { choices: Choices; address: string }): FeedDescription {
  const { choices, address } = options
  const { protocol, host } = new URL(address)
  const controls = controlSchemas(choices)
  const unasked = UNASKED.filter((name) => name in controls)
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
        description: 'The socket itself: the frames that clients send, and the controls that answer them.',
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
      tell: operation('send', 'socket', unasked, 'What clients are told unasked.'),
      ...Object.fromEntries(
        rooms.map(([kind, type]) => [
          `send_${roomName(kind)}`,
          operation('send', roomName(kind), [type], 'To each socket that has joined the room.'),
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
  `ticket within its ${LIMITS.wsTicketSeconds} seconds; it sends at most ${LIMITS.wsFramesPerMinute} frames a minute, of ` +
  `at most ${LIMITS.wsFrameBytesMax} bytes. After a reconnect it joins its rooms again, sends synchronize, waits for ` +
  'synchronized and reads anew. Unknown controls and fields are to be ignored.'

const FRAMES: Record<ClientFrame['action'], string> = {
  authenticate: 'Authenticates with a ticket from /auth/ws-ticket, or renews with one of the same principal.',
  subscribe: 'Joins a room: the address of one of the other channels.',
  unsubscribe: 'Leaves a room.',
  synchronize: 'Asks for the control synchronized, which comes once all rooms asked for before are joined.',
}

const UNASKED = ['greeting', 'error', 'resync_required']

const REPLIES: Partial<Record<ClientFrame['action'], string>> = {
  authenticate: 'authenticated',
  synchronize: 'synchronized',
}

const ROOMS: Record<EventType, string> = {
  PoolLaunch: 'Pools that are new.',
  PoolStats: 'Price, liquidity and figures of a pool, after each block that moved it.',
  Ohlcv: 'The open minute of a pool, after each block that it was traded in.',
  Trade: 'Swaps, mints and burns of a pool.',
  BalanceChange: "Balances of an address: the ticket's own alone.",
  ProtocolConfigChanged: 'What has changed of the configuration; not what it is now.',
}

/** What stands for a pool or an address in a room's name. */
const PARAMETERS: Partial<Record<EventType, { name: string; description: string }>> = {
  PoolStats: { name: 'pool_key', description: 'as /pools lists it' },
  Ohlcv: { name: 'pool_key', description: 'as /pools lists it' },
  Trade: { name: 'pool_key', description: 'as /pools lists it' },
  BalanceChange: { name: 'address', description: 'of the wallet that the ticket was issued to' },
}

function roomChannel(kind: string, type: EventType) {
  const parameter = PARAMETERS[type]
  return {
    address: parameter ? `${kind}{${parameter.name}}` : kind,
    description: `${ROOMS[type]} Joined by subscribe, and sent over the socket.`,
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

/** As input a schema takes further keys, as output there are none. */
function message(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...payload } = z.toJSONSchema(schema, { target: 'draft-7', io })
  return { payload }
}

/** Every control that the server sends, as a set of choices spells it; those that a set does without are missing. */
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
        room: z.string().optional().describe('that the frame named'),
      }),
    }),
    synchronized: z.object({ control: z.literal(CONTROLS.synchronized) }),
    resync_required: z.object({ control: z.literal(CONTROLS.resyncRequired) }),
  }
}

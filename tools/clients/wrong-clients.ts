import type { Client } from '../../client/client.ts'
import { type Conduct, RIGHT_CONDUCT } from '../../client/conduct.ts'
import type { ClientFrame } from '../../contract/schemas/wire.ts'
import type { SceneName } from './scenes.ts'
import { hearing, repeating, sending } from './wrong-wires.ts'

/** Correct clients with one behavior replaced each, to show that the observer detects it. */
export type WrongClient = {
  wrong: string
  /** All rules that the observer reports. */
  breaks: readonly [rule: string, ...more: string[]]
  /** Scene that shows it (default: `day`). */
  scene?: SceneName
  piece: Partial<Conduct> | ((given: Given) => Partial<Conduct>)
}

type Given = { apiToken: string; stranger: Client; strangerAddress: string }

const right = RIGHT_CONDUCT

/** The specification does not define the response to a ticket. */
const KNOWN_CONTROLS = ['synchronized', 'resync_required', 'authenticated']

export const WRONG_CLIENTS: Readonly<Record<string, WrongClient>> = {
  'ignores-retry-after': {
    wrong: 'repeats requests that got 429 five times per second',
    breaks: ['client.429.waits'],
    scene: 'limited',
    piece: {
      retryDelayMs: (requested) => (requested.response?.status === 429 ? 200 : right.retryDelayMs(requested)),
    },
  },
  'repeats-after-429': {
    wrong: 'repeats requests immediately that got 429 without `Retry-After`',
    breaks: ['client.429.waits'],
    scene: 'limited-no-wait',
    piece: {
      attemptsMax: 1_000_000,
      retryDelayMs: (requested) => (requested.response?.status === 429 ? 0 : right.retryDelayMs(requested)),
    },
  },
  'retries-in-step': {
    wrong: 'retries requests that got a 5xx every second, without backoff',
    breaks: ['client.5xx.backs-off'],
    scene: 'failing',
    piece: { retryDelayMs: (requested) => right.retryDelayMs(requested) && 1000 },
  },
  'never-gives-up': {
    wrong: 'retries requests that got a 5xx ten times per second, forever',
    breaks: ['client.5xx.bounded', 'client.5xx.backs-off'],
    scene: 'failing',
    piece: { attemptsMax: 1_000_000, retryDelayMs: (requested) => right.retryDelayMs(requested) && 100 },
  },
  'keeps-refused-credential': {
    wrong: 'continues with an expired session',
    breaks: ['client.401.replaces'],
    piece: { replaceCredential: async () => true, stopsAt: () => false },
  },
  'goes-on-after-403': {
    wrong: 'repeats requests of a wallet without access',
    breaks: ['client.403.stops'],
    scene: 'without-access',
    piece: { stopsAt: () => false },
  },
  'repeats-after-403': {
    wrong: 'repeats a request that got 403 for another reason than access',
    breaks: ['client.403.stops'],
    scene: 'forbidden',
    piece: { stopsAt: () => false },
  },
  'pages-past-the-end': {
    wrong: 'continues after an empty page',
    breaks: ['client.pools.pages-to-end'],
    piece: { nextOffset: ({ offset, total }) => (offset > total + 300 ? undefined : offset + 100) },
  },
  'normalizes-keys': {
    wrong: 'normalizes the Unicode form of pool keys',
    breaks: ['client.pools.key-as-given'],
    scene: 'alternative',
    piece: { poolPath: (key) => right.poolPath(key.normalize('NFC')) },
  },
  'amounts-as-typed': {
    wrong: 'sends an amount as a user typed it',
    breaks: ['client.input.canonical'],
    piece: { baseUnits: (typed) => typed },
  },
  'amounts-as-floats': {
    wrong: 'computes amounts as floating-point numbers, and sends 1.2345e+21',
    breaks: ['client.input.canonical'],
    piece: {
      baseUnits: (typed, decimals) => String(Number(typed.replaceAll(',', '')) * 10 ** (decimals + 18)),
    },
  },
  'trims-the-message': {
    wrong: 'trims white space from the message before it signs it',
    breaks: ['client.message.exact'],
    piece: { messageToSign: (message) => message.trim() },
  },
  'no-csrf': {
    wrong: 'sends changes in a session without X-CSRF-Token',
    breaks: ['client.csrf.sent'],
    piece: { changeHeaders: () => ({}) },
  },
  'csrf-in-url': {
    wrong: 'puts the CSRF token into URLs',
    breaks: ['client.secrets.not-in-urls'],
    piece: {
      buildUrl(baseUrl, request) {
        const csrf = request.headers?.['x-csrf-token']
        return right.buildUrl(baseUrl, csrf === undefined ? request : { ...request, query: { csrf } })
      },
    },
  },
  'loser-gives-up': {
    wrong: 'treats the 409 of a lost refresh as the end of its session, and shows the login page',
    breaks: ['client.refresh.retries-after-409'],
    scene: 'tabs',
    piece: { afterLostRefresh: () => Promise.reject(new Error('signed out')) },
  },
  'api-token-as-ticket': {
    wrong: 'authenticates its socket with an API token',
    breaks: ['client.ticket.only'],
    piece: ({ apiToken }) => ({ ticketFor: async ({ fresh }) => ({ ...(await fresh()), token: apiToken }) }),
  },
  'reconnects-with-old-ticket': {
    wrong: 'opens its next socket with the ticket of the previous one',
    breaks: ['client.ticket.fresh'],
    piece: { ticketFor: async ({ fresh, last, isRenewal }) => (isRenewal || !last ? fresh() : last) },
  },
  'renews-with-old-ticket': {
    wrong: 'renews a connection with the ticket that it already has',
    breaks: ['client.ticket.fresh'],
    piece: {
      async ticketFor({ fresh, last, isRenewal }) {
        const ticket = await fresh()
        return isRenewal && last ? { ...ticket, token: last.token } : ticket
      },
    },
  },
  'never-renews': {
    wrong: 'never renews its connections, so they close after a minute',
    breaks: ['client.ticket.renewed'],
    piece: {
      async ticketFor({ fresh }) {
        const ticket = await fresh()
        return { ...ticket, requestedAtMs: ticket.requestedAtMs + 3_600_000 }
      },
    },
  },
  'renews-as-another': {
    wrong: 'renews a connection with the ticket of another wallet',
    breaks: ['client.ticket.same-principal'],
    piece: ({ stranger }) => ({
      ticketFor: ({ fresh, isRenewal }) => (isRenewal ? stranger.exchange.ticket() : fresh()),
    }),
  },
  'subscribes-first': {
    wrong: 'joins rooms before it has authenticated',
    breaks: ['client.socket.authenticates-first'],
    piece: {
      wire: sending((frame, { send, given }) => {
        if (frame.action === 'authenticate' && given.authenticate === 1)
          send({ action: 'subscribe', room: 'pool_launches' })
        send(frame)
      }),
    },
  },
  'authenticates-late': {
    wrong: 'takes six seconds from opening a socket to authenticating it',
    breaks: ['client.socket.authenticates-in-time'],
    piece: { wire: sending((frame, { send, tools }) => void tools.after(6000, () => send(frame))) },
  },
  'never-resubscribes': {
    wrong: 'joins no rooms after a reconnect, and mistakes silence for a quiet market',
    breaks: ['client.reconnect.resubscribes'],
    piece: {
      wire: sending((frame, { send, openedBefore }) => {
        if (frame.action !== 'subscribe' || openedBefore === 0) send(frame)
      }),
    },
  },
  'never-synchronizes': {
    wrong: 'loads data that depends on its subscriptions before they are active',
    breaks: ['client.reconnect.synchronizes'],
    piece: {
      wire: sending((frame, { send, hear }) =>
        frame.action === 'synchronize' ? hear({ control: 'synchronized' }) : send(frame),
      ),
    },
  },
  'joins-after-synchronizing': {
    wrong: 'sends synchronize before it joins its rooms',
    breaks: ['client.reconnect.synchronizes'],
    piece: () => {
      const held: ClientFrame[] = []
      return {
        wire: sending((frame, { send }) => {
          if (frame.action === 'subscribe') held.push(frame)
          else send(frame)
          if (frame.action === 'synchronize') for (const late of held.splice(0)) send(late)
        }),
      }
    },
  },
  'reloads-too-early': {
    wrong: 'reloads its data after a reconnect, and synchronizes five seconds later',
    breaks: ['client.reconnect.refetches'],
    piece: {
      wire: sending((frame, { send, hear, tools }) => {
        if (frame.action !== 'synchronize') return send(frame)
        hear({ control: 'synchronized' })
        tools.after(5000, () => send(frame))
      }),
    },
  },
  'keeps-what-it-had': {
    wrong: 'reloads nothing after a reconnect',
    breaks: ['client.reconnect.refetches'],
    piece: { refetchesAt: (reason) => reason !== 'reconnected' && right.refetchesAt(reason) },
  },
  'ignores-resync': {
    wrong: 'reloads nothing after resync_required',
    breaks: ['client.resync.refetches'],
    piece: { refetchesAt: (reason) => reason !== 'resync_required' && right.refetchesAt(reason) },
  },
  'reconnects-at-once': {
    wrong: 'opens another socket as soon as one is closed',
    breaks: ['client.reconnect.backs-off'],
    piece: { reconnectDelayMs: () => 0 },
  },
  'reconnects-in-step': {
    wrong: 'opens another socket one second after one is closed, without jitter',
    breaks: ['client.reconnect.backs-off'],
    piece: { reconnectDelayMs: () => 1000 },
  },
  'leaves-at-unknown-control': {
    wrong: 'closes the socket on an unknown control',
    breaks: ['client.controls.unknown-ignored'],
    scene: 'unknown-controls',
    piece: {
      wire: hearing(({ control = 'synchronized' }, { close }) => {
        if (!KNOWN_CONTROLS.includes(control)) close()
      }),
    },
  },
  'no-minimum-revision': {
    wrong: 'requests the configuration without the announced revision',
    breaks: ['client.config.refetches'],
    piece: { stateQuery: () => ({}) },
  },
  'loops-on-pending': {
    wrong: 'requests a pending revision ten times per second',
    breaks: ['client.config.retries-pending'],
    scene: 'pending',
    piece: { retryDelayMs: (requested) => right.retryDelayMs(requested) && 100, attemptsMax: 1_000_000 },
  },
  'joins-forty-rooms': {
    wrong: 'joins more than 32 rooms on one connection',
    breaks: ['client.rooms.at-most-32'],
    scene: 'crowd',
    piece: () => {
      let others: readonly string[] = []
      return {
        roomsToJoin(wanted) {
          const rooms = right.roomsToJoin(wanted)
          others = wanted.slice(rooms.length)
          return rooms
        },
        wire: sending((frame, { send }) => {
          if (frame.action === 'synchronize') for (const room of others) send({ action: 'subscribe', room })
          send(frame)
        }),
      }
    },
  },
  'watches-another': {
    wrong: 'joins the balance room of another wallet',
    breaks: ['client.rooms.own-balances'],
    piece: ({ strangerAddress }) => ({
      roomsToJoin: (wanted) => right.roomsToJoin([`balances:${strangerAddress}`, ...wanted]),
    }),
  },
  'floods-frames': {
    wrong: 'synchronizes five times per second',
    breaks: ['client.frames.bounded'],
    piece: { wire: repeating({ action: 'synchronize' }, 200) },
  },
  'pings-with-frames': {
    wrong: 'sends frames with the action ping as a heartbeat',
    breaks: ['client.frames.valid'],
    piece: { wire: repeating({ action: 'ping' }, 20_000) },
  },
  'sends-large-frames': {
    wrong: 'sends frames of more than 2 KB',
    breaks: ['client.frames.size'],
    piece: { wire: sending((frame, { send }) => send({ ...frame, note: 'x'.repeat(3000) })) },
  },
}

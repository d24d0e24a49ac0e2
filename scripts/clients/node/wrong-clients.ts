/**
 * Clients that are wrong in one piece each, to show that the observer catches them: the right one with that piece of its
 * conduct replaced.
 */
import type { Client } from './client.ts'
import { type Conduct, RIGHT_CONDUCT } from './conduct.ts'
import type { SceneName } from './scenes.ts'

export type WrongClient = {
  wrong: string
  /** What the observer finds; nothing else. */
  breaks: readonly [rule: string, ...more: string[]]
  /** Where it shows; in a day if left out. */
  scene?: SceneName
  piece: Partial<Conduct> | ((given: Given) => Partial<Conduct>)
}

/** What some need to be wrong with. */
export type Given = { apiToken: string; stranger: Client }

const right = RIGHT_CONDUCT

export const WRONG_CLIENTS: Readonly<Record<string, WrongClient>> = {
  'ignores-retry-after': {
    wrong: 'sends again at once what was answered with 429',
    breaks: ['client.429.waits'],
    scene: 'limited',
    piece: { retryDelayMs: (asked) => (asked.answer?.status === 429 ? 1 : right.retryDelayMs(asked)) },
  },
  'retries-without-pause': {
    wrong: 'sends again at once what the exchange failed to answer',
    breaks: ['client.5xx.bounded'],
    scene: 'failing',
    piece: {
      retryDelayMs: (asked) => ((asked.answer?.status ?? 500) >= 500 ? 1 : right.retryDelayMs(asked)),
    },
  },
  'keeps-refused-credential': {
    wrong: 'goes on with a session that has run out',
    breaks: ['client.401.replaces'],
    piece: { replaceCredential: async () => {} },
  },
  'goes-on-after-403': {
    wrong: 'asks on behalf of a wallet that has no access, again and again',
    breaks: ['client.403.stops'],
    scene: 'without-access',
    piece: { stopsAt: () => false },
  },
  'pages-past-the-end': {
    wrong: 'goes on after an empty page',
    breaks: ['client.pools.pages-to-end'],
    piece: { nextOffset: ({ offset, total }) => (offset > total + 300 ? undefined : offset + 100) },
  },
  'keys-as-numbers': {
    wrong: 'takes a pool key for a number, and loses most of its digits',
    breaks: ['client.pools.key-as-given'],
    piece: { poolPath: (key) => right.poolPath(`${Number.parseFloat(key)}field`) },
  },
  'amounts-as-typed': {
    wrong: 'sends an amount as a user has typed it',
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
    wrong: 'signs the message without the white space at its ends',
    breaks: ['client.message.exact'],
    piece: { messageToSign: (message) => message.trim() },
  },
  'no-csrf': {
    wrong: 'changes something in a session without X-CSRF-Token',
    breaks: ['client.csrf.sent'],
    piece: { changeHeaders: () => ({}) },
  },
  'csrf-in-url': {
    wrong: 'puts the CSRF token into addresses',
    breaks: ['client.secrets.not-in-urls'],
    piece: {
      urlOf(baseUrl, request) {
        const csrf = request.headers?.['x-csrf-token']
        return right.urlOf(baseUrl, csrf === undefined ? request : { ...request, query: { csrf } })
      },
    },
  },
  'loser-does-not-wait': {
    wrong: 'sends its request again before the refresh of the other tab is done',
    breaks: ['client.refresh.retries-after-409'],
    scene: 'tabs',
    piece: { afterLostRefresh: async () => {} },
  },
  'loser-signs-in': {
    wrong: 'takes the 409 of a lost refresh for the end of its session',
    breaks: ['client.refresh.retries-after-409'],
    scene: 'tabs',
    piece: { afterLostRefresh: ({ signIn }) => signIn() },
  },
  'api-token-as-ticket': {
    wrong: 'authenticates its socket with an API token',
    breaks: ['client.ticket.only'],
    piece: ({ apiToken }) => ({ ticketFor: async () => ({ text: apiToken, askedAtMs: 0 }) }),
  },
  'reconnects-with-old-ticket': {
    wrong: 'opens its next socket with the ticket of the last',
    breaks: ['client.ticket.fresh'],
    piece: { ticketFor: async ({ fresh, last, isRenewal }) => (isRenewal || !last ? fresh() : last) },
  },
  'renews-with-old-ticket': {
    wrong: 'renews a connection with the ticket that it already has',
    breaks: ['client.ticket.fresh'],
    piece: { ticketFor: async ({ fresh, last, isRenewal }) => (isRenewal && last ? last : fresh()) },
  },
  'never-renews': {
    wrong: 'leaves its connections to be cut off after a minute',
    breaks: ['client.ticket.renewed'],
    piece: { ticketTimes: { renewAfterMs: 3_600_000, giveUpAfterMs: 3_600_000 } },
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
      greet({ authenticate, join }) {
        join()
        authenticate()
      },
    },
  },
  'authenticates-late': {
    wrong: 'takes six seconds from opening a socket to authenticating it',
    breaks: ['client.socket.authenticates-first'],
    piece: { greet: (connection) => void connection.timers.after(6000, () => right.greet(connection)) },
  },
  'never-resubscribes': {
    wrong: 'joins no rooms after a reconnect, and takes silence for a quiet market',
    breaks: ['client.reconnect.restores'],
    piece: {
      join: (connection) =>
        right.join({ ...connection, rooms: connection.isReconnect ? [] : connection.rooms }),
    },
  },
  'never-synchronizes': {
    wrong: 'does not wait until its subscriptions are active before it loads what depends on them',
    breaks: ['client.reconnect.restores'],
    piece: {
      greet({ authenticate, join }) {
        authenticate()
        join()
      },
      join({ rooms, subscribe, ready }) {
        for (const room of rooms) subscribe(room)
        ready()
      },
    },
  },
  'keeps-what-it-had': {
    wrong: 'loads nothing anew after a reconnect',
    breaks: ['client.reconnect.restores'],
    piece: { refetchesAt: (occasion) => occasion !== 'reconnect' },
  },
  'ignores-resync': {
    wrong: 'loads nothing anew after resync_required',
    breaks: ['client.resync.refetches'],
    piece: { refetchesAt: (occasion) => occasion !== 'resync' },
  },
  'reconnects-at-once': {
    wrong: 'opens another socket as soon as one is closed',
    breaks: ['client.reconnect.backs-off'],
    piece: { reconnectDelayMs: () => 0 },
  },
  'leaves-at-unknown-control': {
    wrong: 'closes the socket at a control that it does not know',
    breaks: ['client.controls.unknown-ignored'],
    scene: 'odd',
    piece: { takeUnknownControl: ({ end }) => end() },
  },
  'no-minimum-revision': {
    wrong: 'asks for the configuration without the revision that it was told of',
    breaks: ['client.config.refetches'],
    piece: { stateQuery: () => ({}) },
  },
  'keeps-stale-quotes': {
    wrong: 'goes on with quotes that are older than a revision it was told of',
    breaks: ['client.route.stale-discarded'],
    piece: { isStale: () => false },
  },
  'joins-forty-rooms': {
    wrong: 'joins more than 32 rooms on one connection',
    breaks: ['client.rooms.at-most-32'],
    piece: { roomsToJoin: (wanted) => wanted },
  },
  'floods-frames': {
    wrong: 'synchronizes ten times a second',
    breaks: ['client.frames.bounded'],
    piece: { checkEveryMs: 100, judgeSilence: () => 'ask' },
  },
  'sends-large-frames': {
    wrong: 'sends frames of more than 2 KB',
    breaks: ['client.frames.bounded'],
    piece: { frameText: (frame) => right.frameText({ ...frame, note: 'x'.repeat(3000) }) },
  },
}

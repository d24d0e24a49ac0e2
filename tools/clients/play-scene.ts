import type { Client } from '../../client/client.ts'
import { type Conduct, RIGHT_CONDUCT } from '../../client/conduct.ts'
import { type FaultPlan, faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { SCENES, type Scene, type SceneName } from './scenes.ts'
import { testBed } from './test-bed.ts'

export type Played = {
  findings: { rule: string; client: string; observed: string; evidence: unknown[] }[]
  /** How often each rule was at stake. */
  cases: Record<string, number>
  /** How often the faults have acted. */
  acted: number
}

const FINDINGS_MAX = 1000

/** Lets a client go through a scene, alone at a stub of its own, and tells what the observer has made of it. */
export async function playScene(
  name: SceneName,
  { piece = {}, plan }: { piece?: WrongClient['piece']; plan?: FaultPlan } = {},
): Promise<Played> {
  const { stub = {}, fault, play }: Scene = SCENES[name]
  const faults =
    plan ?? (fault && faultPlanSchema.parse({ description: `Of the scene ${name}`, faults: [fault] }))
  const bed = await testBed({ ...stub, ...(faults && { faults }) }, { userAgent: clientOf(faults) })
  const [, wallet, other] = bed.stub.wallets
  const [apiToken] = bed.stub.apiTokens
  if (!wallet || !other || !apiToken) throw new Error('the stub has too few wallets')
  const given = { apiToken, stranger: bed.client({ as: { wallet: other } }), strangerAddress: other.address }
  const replaced = typeof piece === 'function' ? piece(given) : piece
  // as: what the control API answers
  const faultsInForce = async () =>
    ((await bed.control('/faults')) as { faults: { acted: number }[] }).faults.map(({ acted }) => acted)
  let before: number[] = []
  const faultsBegin = async () => {
    before = await faultsInForce()
    if (faults) await bed.control('/faults', faults)
  }
  await play({ bed, conduct: { ...RIGHT_CONDUCT, ...replaced }, wallet, faultsBegin })
  // as: likewise
  const judged = (await bed.control(`/findings?limit=${FINDINGS_MAX}`)) as Omit<Played, 'acted'>
  return { ...judged, acted: sum([...before, ...(await faultsInForce())]) }
}

/** A plan may be for one client alone: then ours is that one. */
function clientOf(plan: FaultPlan | undefined): string | undefined {
  return /"userAgents":\["([^"*]+)"/.exec(JSON.stringify(plan) ?? '')?.[1]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/**
 * Clients that are wrong in one piece each, to show that the observer catches them: the right one with that piece of its
 * conduct replaced.
 */
type WrongClient = {
  wrong: string
  /** What the observer finds; nothing else. */
  breaks: readonly [rule: string, ...more: string[]]
  /** Where it shows; in a day if left out. */
  scene?: SceneName
  piece: Partial<Conduct> | ((given: Given) => Partial<Conduct>)
}

/** What some need to be wrong with. */
type Given = { apiToken: string; stranger: Client; strangerAddress: string }

const right = RIGHT_CONDUCT

export const WRONG_CLIENTS: Readonly<Record<string, WrongClient>> = {
  'ignores-retry-after': {
    wrong: 'sends again five times a second what was answered with 429',
    breaks: ['client.429.waits'],
    scene: 'limited',
    piece: { retryDelayMs: (asked) => (asked.answer?.status === 429 ? 200 : right.retryDelayMs(asked)) },
  },
  'retries-in-step': {
    wrong: 'sends again after a second, and after a second again, what the exchange failed to answer',
    breaks: ['client.5xx.backs-off'],
    scene: 'failing',
    piece: { retryDelayMs: (asked) => right.retryDelayMs(asked) && 1000 },
  },
  'never-gives-up': {
    wrong: 'sends again ten times a second, for ever, what the exchange failed to answer',
    breaks: ['client.5xx.bounded', 'client.5xx.backs-off'],
    scene: 'failing',
    piece: { attemptsMax: 1_000_000, retryDelayMs: (asked) => right.retryDelayMs(asked) && 100 },
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
  'normalizes-keys': {
    wrong: 'writes pool keys in another Unicode form than they came in',
    breaks: ['client.pools.key-as-given'],
    scene: 'odd',
    piece: { poolPath: (key) => right.poolPath(key.normalize('NFC')) },
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
  'loser-gives-up': {
    wrong: 'takes the 409 of a lost refresh for the end of its session, and shows the login page',
    breaks: ['client.refresh.retries-after-409'],
    scene: 'tabs',
    piece: { afterLostRefresh: () => Promise.reject(new Error('signed out')) },
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
    breaks: ['client.socket.authenticates-in-time'],
    piece: { greet: (connection) => void connection.timers.after(6000, () => right.greet(connection)) },
  },
  'never-resubscribes': {
    wrong: 'joins no rooms after a reconnect, and takes silence for a quiet market',
    breaks: ['client.reconnect.resubscribes'],
    piece: {
      join: (connection) =>
        right.join({ ...connection, rooms: connection.isReconnect ? [] : connection.rooms }),
    },
  },
  'never-synchronizes': {
    wrong: 'does not wait until its subscriptions are active before it loads what depends on them',
    breaks: ['client.reconnect.synchronizes'],
    piece: {
      greet({ authenticate, join }) {
        authenticate()
        join()
      },
      join({ rooms, subscribe, ready }) {
        for (const room of rooms) subscribe(room)
        ready()
      },
      judgeSilence: () => 'fine',
    },
  },
  'keeps-what-it-had': {
    wrong: 'loads nothing anew after a reconnect',
    breaks: ['client.reconnect.refetches'],
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
  'reconnects-in-step': {
    wrong: 'opens another socket a second after one is closed, as all its like do',
    breaks: ['client.reconnect.backs-off'],
    piece: { reconnectDelayMs: () => 1000 },
  },
  'leaves-at-unknown-control': {
    wrong: 'closes the socket at a control that it does not know',
    breaks: ['client.controls.unknown-ignored'],
    scene: 'unknown-controls',
    piece: { takeUnknownControl: ({ control, end }) => control !== 'authenticated' && end() },
  },
  'no-minimum-revision': {
    wrong: 'asks for the configuration without the revision that it was told of',
    breaks: ['client.config.refetches'],
    piece: { stateQuery: () => ({}) },
  },
  'loops-on-pending': {
    wrong: 'asks ten times a second for a revision that is still to come',
    breaks: ['client.config.retries-pending'],
    scene: 'pending',
    piece: { retryDelayMs: (asked) => right.retryDelayMs(asked) && 100, attemptsMax: 1_000_000 },
  },
  'joins-forty-rooms': {
    wrong: 'joins more than 32 rooms on one connection',
    breaks: ['client.rooms.at-most-32'],
    scene: 'crowd',
    piece: { roomsToJoin: (wanted) => wanted },
  },
  'watches-another': {
    wrong: 'joins the balance room of another wallet',
    breaks: ['client.rooms.own-balances'],
    piece: ({ strangerAddress }) => ({
      roomsToJoin: (wanted) => right.roomsToJoin([`balances:${strangerAddress}`, ...wanted]),
    }),
  },
  'floods-frames': {
    wrong: 'synchronizes five times a second',
    breaks: ['client.frames.bounded'],
    piece: { checkEveryMs: 200, judgeSilence: () => 'ask' },
  },
  'sends-large-frames': {
    wrong: 'sends frames of more than 2 KB',
    breaks: ['client.frames.size'],
    piece: { frameText: (frame) => right.frameText({ ...frame, note: 'x'.repeat(3000) }) },
  },
}

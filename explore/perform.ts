/** Sends a command to the target, and reports its outcome in the model's terms. */
import { at } from '../client/exchange.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Wallet } from '../contract/profile.ts'
import {
  isServing,
  type Jar,
  type Performed,
  performChange,
  performWith,
  sessionHeaders,
  takeCookies,
} from './jar.ts'
import { type LiveSocket, openLiveSocket } from './live-socket.ts'
import { hadTokens, noteClaim, recall } from './memory.ts'
import { isSuccess, isUnauthorized } from './model/credentials.ts'
import type { Outcome } from './model/state.ts'
import { MARKET_COMMANDS, SPELLINGS } from './perform-market.ts'
import { ADMINISTRATOR, type Command, type CommandKind, type CommandOf } from './sequence.ts'
import { openSession } from './sign-in.ts'
import { performAsk, performForge } from './strangers.ts'
import type { ExploreRequest, ExploreTarget } from './target.ts'
import type { Witness } from './witness.ts'

export type Scene = {
  target: ExploreTarget
  witness: Witness
  jar: Jar
  /** The wallets of this run. */
  wallets: readonly Wallet[]
}

/** Returns null if the command cannot be sent, because nothing created what it uses. */
export function perform(command: Command, scene: Scene): Performed {
  // as: each kind has the function for its commands
  const performKind = PERFORM[command.do] as (command: Command, scene: Scene) => Performed
  return performKind(command, scene)
}

const PERFORM: { [Kind in CommandKind]: (command: CommandOf<Kind>, scene: Scene) => Performed } = {
  ...MARKET_COMMANDS,
  async 'sign-in'({ wallet: place, as }, { target, jar, wallets }) {
    const wallet = place === ADMINISTRATOR ? target.administrator : wallets[place]
    if (!wallet) return null
    const { reply, session } = await openSession(target, wallet)
    if (session) jar.sessions.set(as, { ...session, wallet: place })
    return { status: isSuccess(reply) && !session ? 0 : reply.status }
  },
  read: ({ by, path }, scene) => performWith(by, scene, { method: 'GET', path }),
  async refresh({ session: label, cookie }, { target, jar }) {
    const session = jar.sessions.get(label)
    const generation = session && { current: session.latest, former: session.latest - 1, first: 0 }[cookie]
    if (!session || generation === undefined || generation < 0) return null
    const { choices } = target.profile
    const headers = sessionHeaders(session, choices, { generation })
    const reply = await target.request({ method: 'POST', path: '/auth/refresh', headers })
    if (!isSuccess(reply)) return { status: reply.status, used: generation }
    const granted = takeCookies(session, reply, choices)
    const csrf = at(reply.body, choices.verify.csrfToken)
    if (typeof csrf === 'string') session.csrf = csrf
    const isNamed = session.generations.some(({ access }) => access !== null)
    const hasAccess = !isNamed || session.generations[granted ?? 0]?.access !== null
    return { status: reply.status, used: generation, ...(granted !== undefined && { granted, hasAccess }) }
  },
  'log-out': (command, scene) => performChange(command, scene, { method: 'POST', path: '/auth/logout' }),
  'log-out-all': (command, scene) =>
    performChange(command, scene, { method: 'POST', path: '/auth/logout-all' }),
  async 'revoke-session'(command, scene) {
    const id = scene.jar.sessions.get(command.of)?.id
    if (id == null) return null
    const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
    return performChange(command, scene, { method: 'POST', path })
  },
  'list-sessions': ({ session }, scene) => {
    const { list, id } = scene.target.profile.choices.sessions
    return performList(session, scene, { path: '/auth/sessions', list, id, known: scene.jar.sessions })
  },
  async 'create-token'(command, scene) {
    const { jar, wallets, target } = scene
    const wallet = jar.sessions.get(command.session)?.wallet ?? 0
    const mayBeFull = hadTokens(target, { address: wallets[wallet]?.address ?? '', run: jar })
    const body = { name: `explore ${command.as}`, expires_in_days: 1 }
    const request: ExploreRequest = { method: 'POST', path: '/api-tokens', body }
    const outcome = await performChange(command, scene, request, ({ body }) => {
      const id = at(body, 'data.id')
      const secret = at(body, 'data.token')
      if (typeof id === 'string' && typeof secret === 'string')
        jar.tokens.set(command.as, { wallet, id, secret, isRevoked: false })
    })
    return outcome && { ...outcome, ...(mayBeFull && { mayBeFull }) }
  },
  async 'revoke-token'(command, scene) {
    const token = scene.jar.tokens.get(command.token)
    if (!token) return null
    const path = `/api-tokens/${encodeURIComponent(token.id)}`
    return performChange(command, scene, { method: 'DELETE', path }, () => {
      if (scene.jar.sessions.get(command.session)?.wallet === token.wallet) token.isRevoked = true
    })
  },
  'list-tokens': ({ session }, scene) => {
    const { list, id } = scene.target.profile.choices.apiTokens
    return performList(session, scene, { path: '/api-tokens', list, id, known: scene.jar.tokens })
  },
  async ticket({ by, as }, scene) {
    return performWith(by, scene, { method: 'GET', path: '/auth/ws-ticket' }, (reply) => {
      const ticket = at(reply.body, scene.target.profile.choices.wsTicket.ticket)
      if (typeof ticket === 'string') scene.jar.tickets.set(as, ticket)
    })
  },
  async redeem({ ticket: label, as }, scene) {
    const ticket = scene.jar.tickets.get(label)
    return ticket === undefined ? null : { status: 0, ...(await connect(ticket, as, scene)) }
  },
  async connect({ by, as }, scene) {
    const { outcome, ticket } = await getTicket(by, scene)
    return outcome && ticket !== undefined ? { ...outcome, ...(await connect(ticket, as, scene)) } : outcome
  },
  async renew({ socket: label, by }, scene) {
    const socket = scene.jar.sockets.get(label)
    if (!socket) return null
    const { outcome, ticket } = await getTicket(by, scene)
    return outcome && ticket !== undefined ? { ...outcome, ...(await authenticate(socket, ticket)) } : outcome
  },
  subscribe: async (command, scene) => changeRooms(command, scene),
  unsubscribe: async (command, scene) => changeRooms(command, scene),
  async synchronize({ socket: label }, { jar }) {
    const socket = jar.sockets.get(label)
    return socket ? { status: 0, isSynchronized: await socket.synchronize(), ...stateOf(socket) } : null
  },
  async hear({ socket: label }, { jar, witness }) {
    const socket = jar.sockets.get(label)
    return socket ? { status: 0, ...(await witness.compare(socket)), ...stateOf(socket) } : null
  },
  async close({ socket: label }, { jar }) {
    jar.sockets.get(label)?.close()
    return jar.sockets.has(label) ? { status: 0 } : null
  },
  async wait({ for: kind }, { target }) {
    const { graceSeconds } = target.profile.choices.refresh
    if (kind === 'market') {
      for (let stirs = 0; stirs < MARKET_STIRS; stirs++) await target.stir()
      return { status: 0 }
    }
    const seconds = {
      grace: graceSeconds,
      'ticket-half': LIMITS.wsTicketSeconds,
      ticket: LIMITS.wsTicketSeconds,
      access: LIMITS.accessSessionSeconds,
      'faucet-early': LIMITS.faucetSeconds,
      faucet: LIMITS.faucetSeconds,
    }[kind]
    if (seconds === null || (seconds >= SLOW_SECONDS && !target.isSlowAllowed)) return null
    await target.pass(seconds * 1000 + WAIT_EXTRA_MS[kind])
    return { status: 0 }
  },
  ask: performAsk,
  forge: performForge,
  async claim({ by, wallet }, { wallets, ...requester }) {
    const { target } = requester
    const { path, address: field, access } = target.profile.choices.faucet
    const address = wallets[wallet]?.address
    if (path === null || field === null || address === undefined) return null
    const { claims, startedMs } = recall(target)
    const callMs = target.nowMs()
    const quietMs = callMs - (claims.get(address)?.triedMs ?? startedMs)
    noteClaim(target, address, { acceptedMs: null })
    const claim = () =>
      performWith(access === 'public' ? undefined : by, requester, {
        method: 'POST',
        path,
        body: { [field]: address },
        isLimited: true,
      })
    let outcome = await claim()
    // A 429 that concerns all requests ends soon.
    if (outcome?.status === 429 && (await isServing(target))) {
      await target.pass(LIMIT_PAUSE_MS)
      outcome = await claim()
    }
    if (outcome === null) return null
    const isAccepted = isSuccess(outcome)
    noteClaim(target, address, { acceptedMs: isAccepted ? callMs : null })
    // A claim counts from its block.
    if (isAccepted) await target.stir()
    const isLasting = outcome.status === 429 && (await isServing(target))
    return { ...outcome, quietMs, ...(isLasting && { isPersistent: true }) }
  },
  'redeem-code': async ({ by, for: kind }, requester) => {
    const { redeemPath, attributionPath, code } = requester.target.profile.choices.referral
    const path = kind === 'redemption' ? redeemPath : attributionPath
    if (path === null || code === null) return null
    return performWith(by, requester, { method: 'POST', path, body: { [code]: MADE_UP } })
  },
  'read-codes': async ({ by }, requester) =>
    performWith(by, requester, { method: 'GET', path: '/referral/codes' }),
  async mint({ by, amount }, { wallets, ...requester }) {
    const { tokens } = await recall(requester.target).catalog()
    const program = tokens.find((token) => token.program !== undefined)?.program
    const recipient = requester.target.administrator?.address ?? wallets[0]?.address
    if (program === undefined || recipient === undefined) return null
    const body = { amm_token_program: program, amount: SPELLINGS[amount](AMOUNT), recipient }
    const outcome = await performWith(by, requester, { method: 'POST', path: '/tokens/mint', body })
    if (!outcome || !isUnauthorized(outcome) || requester.jar.sessions.get(by)?.wallet !== ADMINISTRATOR)
      return outcome
    const codes = await performWith(by, requester, { method: 'GET', path: '/referral/codes' })
    return { ...outcome, witnessStatus: codes?.status ?? 0 }
  },
}

/** Added to waits, because the model tolerates differences between clocks. */
const WAIT_EXTRA_MS = {
  grace: 2000,
  // Two of them are longer than a ticket lives, one of them is not.
  'ticket-half': -20_000,
  ticket: 16_000,
  access: 65_000,
  'faucet-early': -60_000,
  faucet: 65_000,
}
const SLOW_SECONDS = 600
/** Enough for a few swaps in most pools. */
const MARKET_STIRS = 10

const LIMIT_PAUSE_MS = 400
const MADE_UP = 'NO-SUCH-CODE-2345'
/** A negligible amount. */
const AMOUNT = '1000'

async function performList(
  session: string,
  scene: Scene,
  {
    path,
    list,
    id,
    known,
  }: {
    path: string
    list: string | null
    id: string | null
    known: Map<string, { id: string | null; wallet: number }>
  },
): Performed {
  let listed: string[] | undefined
  const outcome = await performWith(session, scene, { method: 'GET', path }, ({ body }) => {
    const rows = at(body, list)
    if (!Array.isArray(rows) || id === null) return
    const ids = new Set(rows.map((row) => at(row, id)))
    listed = [...known].flatMap(([label, each]) => (each.id !== null && ids.has(each.id) ? [label] : []))
    // Those of the wallet whose id is unknown cannot be found in it.
    const wallet = scene.jar.sessions.get(session)?.wallet
    for (const [label, each] of known) if (each.id === null && each.wallet === wallet) listed.push(label)
  })
  return outcome && { ...outcome, ...(listed && { listed }) }
}

async function getTicket(by: string, scene: Scene): Promise<{ outcome: Outcome | null; ticket?: string }> {
  let ticket: unknown
  const outcome = await performWith(by, scene, { method: 'GET', path: '/auth/ws-ticket' }, ({ body }) => {
    ticket = at(body, scene.target.profile.choices.wsTicket.ticket)
  })
  return { outcome, ...(typeof ticket === 'string' && { ticket }) }
}

async function connect(ticket: string, as: string, { target, jar }: Scene): Promise<Partial<Outcome>> {
  const socket = await openLiveSocket(target)
  if (!socket) return {}
  jar.sockets.set(as, socket)
  return authenticate(socket, ticket)
}

async function authenticate(socket: LiveSocket, ticket: string): Promise<Partial<Outcome>> {
  const frame = socket.send({ action: 'authenticate', token: ticket })
  return { frame, isSynchronized: await socket.synchronize(), ...stateOf(socket) }
}

function changeRooms(
  { do: action, socket: label, rooms }: CommandOf<'subscribe'> | CommandOf<'unsubscribe'>,
  { jar, witness }: Scene,
): Outcome | null {
  const socket = jar.sockets.get(label)
  if (!socket) return null
  for (const place of rooms) {
    const room = witness.rooms[place]
    if (!room) continue
    socket.send({ action, room })
    if (action === 'subscribe') socket.joined.add(place)
    else socket.joined.delete(place)
  }
  return { status: 0, ...stateOf(socket) }
}

function stateOf(socket: LiveSocket): Pick<Outcome, 'recentlySent' | 'closeCode'> {
  const closeCode = socket.closeCode()
  return { recentlySent: socket.recentlySent(), ...(closeCode !== undefined && { closeCode }) }
}

/** Opens what `explore` works on: stubs of this process, or the target of a profile. */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { WebSocket } from 'ws'
import { NODE_TOOLS, signMessage } from '../../client/node-ports.ts'
import { retryAfterMs } from '../../client/retry-wait.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { beyondBounds } from '../../contract/response-bounds.ts'
import type { ChoiceSetName, Target } from '../../contract/scenario-config.ts'
import {
  createWaits,
  type ExploreRequest,
  type ExploreTarget,
  type Reply,
  type WaitFor,
} from '../../explore/target.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { Io } from '../io.ts'
import { signFor } from '../target/own-tokens.ts'
import { PERMISSION_HINT, permissionFor } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'
import { readBounded } from '../target/read-bounded.ts'
import { feedAddress } from '../target/request-target.ts'
import type { OpenTarget } from './stages.ts'

/** Time for something to happen in the market of a target. */
const STIR_MS = 1000
/** For a slow network and a busy gateway. */
const RESPONSE_MS = 15_000
/** One wallet is the witness of events. */
const WALLETS_MIN = 2

/** Throws a BreakwaterError: usage for a bad profile or a target that does not allow changes, environment if it does not respond. */
export async function openGivenTarget(
  file: string,
  { io, confirm, isSlowAllowed }: { io: Io; confirm: readonly string[] | undefined; isSlowAllowed: boolean },
): Promise<OpenTarget> {
  const loaded = await loadTarget(file, {
    io,
    needsFeed: true,
    check(profile) {
      const { writes } = permissionFor(profile, confirm)
      if (writes !== null)
        throw new BreakwaterError(`explore signs in and makes changes: ${writes}`, { hint: PERMISSION_HINT })
    },
  })
  const { profile } = loaded
  const [witness, ...wallets] = findWallets(loaded)
  if (!witness || wallets.length + 1 < WALLETS_MIN) {
    throw new BreakwaterError(`${file}: explore needs two wallets with access that can sign`, {
      hint: 'Add wallets to the file that credentials.wallets names, with a private key or a signer.',
    })
  }
  const ca = profile.ca === null ? null : await readFile(profile.ca, 'utf8')
  const waits = createWaits(() => performance.now())
  const wait = (reason: WaitFor, ms: number) =>
    waits.during(
      reason,
      delay(ms, undefined, { signal: io.interrupted }).catch(() => {}),
    )
  const wire = createWire(profile, ca, (ms) => waits.during('the rate limit', delay(ms)))
  const target: ExploreTarget = {
    ...wire,
    profile,
    administrator: findSigning(loaded).find(({ admin }) => admin),
    outsiders: findOutsiders(loaded),
    sign: (wallet, message) => signFor(profile, wallet, message),
    nowMs: Date.now,
    isClockLocal: true,
    pass: (ms) => wait('expiry and retries', ms),
    stir: () => wait('swaps', STIR_MS),
    isSlowAllowed,
    responseMs: RESPONSE_MS,
    waits,
    interrupted: io.interrupted,
  }
  return { target, wallets, witness, sent: wire.sent, close: async () => wire.close() }
}

type Given = Pick<Target, 'profile' | 'wallets'>

/** Not administrators, which a real exchange has few of. */
function findWallets(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess, admin }) => hasAccess && !admin)
}

function findOutsiders(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess }) => !hasAccess)
}

function findSigning({ profile, wallets }: Given): Target['wallets'] {
  return wallets.filter(
    ({ privateKeyJwk }) => privateKeyJwk !== undefined || profile.credentials.signer !== null,
  )
}

export type StubChoice = {
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: MutantName | null
}

/** Frequent blocks: events of many rooms come before a ticket expires. */
const BLOCK_MS = 150
/** For 100 runs. */
const NEWCOMERS = 400
/** Nothing delays a response within a process, except other work on the machine. */
const STUB_RESPONSE_MS = 4000
/** Longer waits are jumps of a clock without blocks: mining thousands of them takes time and shows nothing. */
const JUMP_MS = 5000

/** A stub in this process: its clock jumps, and blocks are mined when something should happen. */
export async function openStubTarget(
  choice: StubChoice,
  interrupted: AbortSignal,
): Promise<OpenTarget & { stub: Stub }> {
  const stub = await startStub({
    ...choice,
    pace: 'real',
    observer: false,
    rateLimit: NO_RATE_LIMIT,
    newcomers: NEWCOMERS,
  })
  const { profile, world } = stub
  world.setMining({ mode: 'interval', intervalMs: BLOCK_MS })
  const witness = stub.wallets.find(({ hasAccess, admin }) => hasAccess && !admin)
  const wallets = stub.wallets.slice(-NEWCOMERS)
  if (!witness) throw new RangeError('the stub has no wallet with access')
  const wire = createWire(profile, null)
  const target: ExploreTarget = {
    ...wire,
    profile,
    administrator: stub.wallets.find(({ admin }) => admin),
    outsiders: stub.wallets.filter(({ hasAccess }) => !hasAccess),
    sign: async (wallet, message) => signMessage(message, wallet, profile.choices.signature),
    nowMs: world.clock.nowMs,
    async pass(ms) {
      if (ms < JUMP_MS) {
        await NODE_TOOLS.pause(Math.min(ms, 20))
        world.advance(ms)
        return
      }
      const mining = world.mining()
      world.setMining({ mode: 'paused' })
      world.advance(ms)
      world.setMining(mining)
    },
    async stir() {
      world.mine()
    },
    isSlowAllowed: true,
    responseMs: STUB_RESPONSE_MS,
    interrupted,
  }
  return {
    stub,
    target,
    wallets,
    witness,
    sent: wire.sent,
    async close() {
      wire.close()
      await stub.close()
    },
  }
}

const TIMEOUT_MS = 10_000
/** Limits of the wait after a 429. */
const RATE_WAIT_MS_MAX = 10_000
const RATE_TRIES = 5

export type Wire = Pick<ExploreTarget, 'request' | 'openSocket'> & {
  /** Requests and handshakes so far. */
  sent(): number
  close(): void
}

/** `ca`: certificates to trust, in PEM form. `wait`: pauses after a 429. */
export function createWire(
  profile: Profile,
  ca: string | null,
  wait: (ms: number) => Promise<unknown> = delay,
): Wire {
  const isTls = profile.baseUrl.startsWith('https:')
  const trust = ca === null ? {} : { ca: [...rootCertificates, ca] }
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...trust }) : new HttpAgent({ keepAlive: true })
  const own = { ...profile.headers, ...(profile.origin === null ? {} : { origin: profile.origin }) }
  const base = profile.baseUrl.replace(/\/$/, '')
  let sent = 0

  const send = async (call: ExploreRequest): Promise<Reply> => {
    sent++
    const body = call.body === undefined ? '' : JSON.stringify(call.body)
    const request = (isTls ? httpsRequest : httpRequest)(base + call.path, {
      method: call.method,
      headers: {
        ...own,
        ...(body !== '' && { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(body),
        ...call.headers,
      },
      agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // A connection may also break after the response has begun.
    request.on('error', () => {})
    try {
      request.end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
      const { 'set-cookie': cookies = [], ...named } = response.headers
      const { 'retry-after': retryAfter, date } = named
      const text = await readBounded(response)
      const httpOnly = cookies.filter((line) => /;\s*HttpOnly\s*(;|$)/i.test(line))
      return {
        status: response.statusCode ?? 0,
        body: parseJson(text),
        cookies: Object.fromEntries(cookies.map(parseCookie)),
        retryAfterMs: retryAfterMs({ retryAfter, date, nowMs: Date.now() }),
        raw: {
          headers: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)])),
          text,
          httpOnly: httpOnly.map((line) => parseCookie(line)[0]),
        },
      }
    } catch {
      request.destroy()
      return { status: 0, body: undefined, cookies: {} }
    }
  }

  return {
    sent: () => sent,
    close: () => agent.destroy(),
    async request(call) {
      for (let tried = 1; ; tried++) {
        const reply = await send(call)
        if (reply.status !== 429 || call.isLimited || tried === RATE_TRIES) return reply
        await wait(Math.min(reply.retryAfterMs ?? 1000, RATE_WAIT_MS_MAX))
      }
    },
    async openSocket(events) {
      sent++
      const socket = new WebSocket(feedAddress(profile), {
        headers: own,
        perMessageDeflate: false,
        handshakeTimeout: TIMEOUT_MS,
        ...trust,
      })
      socket.on('error', () => {}) // the close that follows says enough
      socket.on('message', (bytes) => events.received(String(bytes)))
      socket.on('pong', events.pong)
      socket.on('close', events.closed)
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('open', () => resolve(true))
        socket.once('close', () => resolve(false))
      })
      if (!isOpen) return null
      return {
        send: (text) => socket.send(text, () => {}),
        ping: () => socket.ping(undefined, undefined, () => {}),
        close: () => socket.close(1000),
      }
    },
  }
}

function parseJson(body: string): unknown {
  if (beyondBounds(body) !== undefined) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function parseCookie(line: string): [string, string] {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}

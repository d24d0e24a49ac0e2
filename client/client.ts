import type { WebSocket } from 'ws'
import type { Profile, Wallet } from '../contract/profile.ts'
import { type Conduct, RIGHT_CONDUCT } from './conduct.ts'
import { createExchange, type Exchange, findRevision, type Quote, type QuoteRequest } from './exchange.ts'
import type { Ticket } from './feed-connection.ts'
import { apiTokenCredential, type CookieJar, createCookieJar, walletSession } from './header-credential.ts'
import { type KeptFeed, keepFeed } from './keep-feed.ts'
import { createSend, NODE_TOOLS, openNodeWire } from './node-ports.ts'
import { createRevisions, quoteUntilCurrent } from './once.ts'
import { createRateGate, retry } from './retry-wait.ts'
import { createRoomViews, type RoomViews } from './room-views.ts'
import {
  createRequestWithRetry,
  ExchangeError,
  type ExchangeResponse,
  isFinal,
  isSuccess,
  type Request,
  readWaitMs,
} from './send.ts'
import { createRequester } from './session.ts'
import { createStoppableWaits, type Tools, withStoppablePause } from './time-and-chance.ts'

export type ClientOptions = {
  profile: Profile
  /** A wallet, whose session other tabs may share, or a bot. */
  as: { wallet: Wallet; jar?: CookieJar } | { apiToken: string }
  tools?: Tools
  conduct?: Conduct
  fetch?: typeof globalThis.fetch
  /** The class that opens sockets (default: that of `ws`). */
  WebSocket?: typeof WebSocket
}

export type Client = {
  exchange: Exchange
  quotes: Quotes
  /** Optional: otherwise the first 401 signs in. Does nothing for a bot with an API token. */
  signIn(): Promise<void>
  /** Joins the first 32 of these rooms on a socket of its own, and keeps everything that depends on them up to date. */
  follow(
    rooms: readonly string[],
    options?: { onRefetched?: () => void; onStop?: (error: unknown) => void },
  ): RoomViews
  stop(): Promise<void>
}

/** Sends nothing until the first call. */
export function createClient(options: ClientOptions): Client {
  const { profile, as, tools = NODE_TOOLS, conduct = RIGHT_CONDUCT, fetch = globalThis.fetch } = options
  const { choices } = profile
  const headers = { 'user-agent': 'breakwater-example-client', ...profile.headers }
  const buildUrl = (request: Request) => conduct.buildUrl(profile.baseUrl, request)
  const send = createSend({ tools, headers, buildUrl, fetch })
  const gate = createRateGate(tools)
  const jar = ('wallet' in as ? as.jar : undefined) ?? createCookieJar()
  const waits = createStoppableWaits(tools)
  const hasStopped = new Error('the client has been stopped')
  const throwIfStopped = () => {
    if (waits.isStopped()) throw hasStopped
  }
  /** Requests with the credential of the client, like those of one tab. */
  const openRequests = (tools: Tools) => {
    const requestWithRetry = createRequestWithRetry({ send, tools, conduct, gate })
    const credential =
      'wallet' in as
        ? walletSession({ profile, wallet: as.wallet, jar, requestWithRetry, tools, conduct, throwIfStopped })
        : apiTokenCredential(as.apiToken)
    const requester = createRequester<ExchangeResponse>({
      credential,
      replace: conduct.replaceCredential,
      deny: (response) => new ExchangeError(response),
      stopsAt: conduct.stopsAt,
    })
    const request: Parameters<typeof createExchange>[0]['request'] = async (wanted, limits) => {
      const response = await requester.send((begin) =>
        requestWithRetry(() => {
          begin()
          return { ...wanted, headers: credential.headersFor(wanted) }
        }, limits),
      )
      if (!isSuccess(response)) throw new ExchangeError(response)
      return response
    }
    return { credential, requester, request }
  }
  const { credential, requester, request } = openRequests(withStoppablePause(tools, waits, hasStopped))
  const exchange = createExchange({ request, choices, tools, conduct })
  const quotes = createQuotes({ exchange, tools, conduct })
  const feeds = new Set<KeptFeed>()
  let signingIn: Promise<unknown> | undefined

  return {
    exchange,
    quotes,
    signIn: async () => {
      if (!('wallet' in as)) return
      throwIfStopped()
      signingIn = credential.replace({ rejected: credential.version(), attempt: 0 })
      await signingIn
    },
    follow(rooms, { onRefetched = () => {}, onStop = () => {} } = {}) {
      const views = createRoomViews({ rooms: conduct.roomsToJoin(rooms), exchange, choices, conduct })
      const stop = (error: unknown) => {
        void feed.close()
        feeds.delete(feed)
        onStop(error)
      }
      let last: Ticket | undefined
      const takeTicket = async (use: 'first' | 'renewal') => {
        last = await conduct.ticketFor({ fresh: exchange.ticket, last, isRenewal: use === 'renewal' })
        return last
      }
      const url = `${profile.wsUrl.replace(/\/$/, '')}/ws`
      const feed = keepFeed(
        {
          rooms: conduct.roomsToJoin(rooms),
          onEvent: views.apply,
          async refetch(reasons) {
            if (!reasons.some(conduct.refetchesAt)) return
            await Promise.all([views.refetch(), quotes.refetch()])
            onRefetched()
          },
        },
        {
          openWire: conduct.wire(openNodeWire({ url, headers, tools, WebSocket: options.WebSocket }), tools),
          takeTicket: (use) =>
            takeTicket(use).catch((error) => {
              if (isFinal(error)) throw error
              return undefined
            }),
          onConfigChanged({ data }) {
            const revision = findRevision(data, 'revision')
            if (revision !== undefined) quotes.configChanged(revision)
          },
          afterError(error) {
            if (!isFinal(error)) return waitAfterError(error, tools.nowMs())
            stop(error)
            return 'stop'
          },
          reconnectMs: conduct.reconnectDelayMs,
          tools,
        },
      )
      feeds.add(feed)
      return views
    },
    async stop() {
      const isDenied = requester.isStopped()
      quotes.stop()
      waits.stop()
      await Promise.all([
        requester.stop(hasStopped),
        ...[...feeds].map((feed) => feed.close()),
        signingIn?.catch(() => {}),
      ])
      // Nothing of the session may follow, so it is the only request that is left.
      if (!('wallet' in as) || isDenied || jar.isEmpty()) return
      await openRequests(tools)
        .request({ method: 'POST', path: '/auth/logout' })
        .catch(() => {})
    },
  }
}

type Quotes = {
  /** Requests a quote and keeps it up to date. undefined if there is no current route. */
  fetch(wanted: QuoteRequest): Promise<Quote | undefined>
  /** Usable quotes: none is older than the newest announced revision. */
  current(): Quote[]
  /** ProtocolConfigChanged announces a new revision without its content. */
  configChanged(revision: number): void
  refetch(): Promise<void>
  stop(): void
}

function createQuotes(options: { exchange: Exchange; tools: Tools; conduct: Conduct }): Quotes {
  const { exchange, tools, conduct } = options
  const kept = new Map<string, { wanted: QuoteRequest; quote: Quote | undefined }>()
  const waits = createStoppableWaits(tools)
  const afterError = (error: unknown) => (isFinal(error) ? 'stop' : waitAfterError(error, tools.nowMs()))
  const revisions = createRevisions((minimum) =>
    retry(
      async () => {
        await exchange.revision(Number(minimum))
        await refetchStale()
      },
      { waits, random: tools.random, afterError },
    ),
  )

  const isUsable = (quote: Quote) => !conduct.isStale(quote, Number(revisions.announced()))
  const fetchQuote = async (wanted: QuoteRequest) => {
    const quote = await quoteUntilCurrent({
      quote: () => exchange.quote(wanted),
      isStale: (quoted) => quoted !== undefined && !isUsable(quoted),
      beforeAgain: () => exchange.revision(Number(revisions.announced())),
    })
    kept.set(JSON.stringify(wanted), { wanted, quote })
    return quote
  }
  const refetchAll = () => Promise.all([...kept.values()].map(({ wanted }) => fetchQuote(wanted)))
  const refetchStale = () =>
    Promise.all(
      [...kept.values()].map(({ wanted, quote }) => (quote && isUsable(quote) ? quote : fetchQuote(wanted))),
    )

  return {
    fetch: fetchQuote,
    current: () => [...kept.values()].flatMap(({ quote }) => (quote && isUsable(quote) ? [quote] : [])),
    configChanged: (revision) => revisions.hear(BigInt(revision)),
    async refetch() {
      revisions.learn(BigInt(await exchange.revision(Number(revisions.announced()))))
      await refetchAll()
    },
    stop: waits.stop,
  }
}

/** A request that is given up may have to wait longer: its Retry-After also binds the next one. */
function waitAfterError(error: unknown, nowMs: number): number {
  return error instanceof ExchangeError ? (readWaitMs(error, nowMs) ?? 0) : 0
}

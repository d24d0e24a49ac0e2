import type { WebSocket } from 'ws'
import type { Profile, Wallet } from '../contract/profile.ts'
import { type Conduct, RIGHT_CONDUCT } from './conduct.ts'
import { type CookieJar, createCookieJar } from './cookie-jar.ts'
import {
  at,
  createExchange,
  type Exchange,
  findRevision,
  type Quote,
  type QuoteRequest,
  textAt,
} from './exchange.ts'
import type { Ticket } from './feed-connection.ts'
import { type KeptFeed, keepFeed } from './keep-feed.ts'
import { createSend, NODE_TOOLS, openNodeWire, signMessage } from './node-ports.ts'
import { createRevisions, quoteUntilCurrent } from './once.ts'
import { attemptUntilFinal, retry } from './retry-wait.ts'
import { createRoomViews, type RoomViews } from './room-views.ts'
import {
  createRequestWithRetry,
  ExchangeError,
  type ExchangeResponse,
  isFinal,
  NoResponse,
  type Request,
  type RequestWithRetry,
  readWaitMs,
} from './send.ts'
import { type Credential, createRequester, keepSession, type SignInPort, signIn } from './session.ts'
import { createStoppableWaits, type Tools } from './time-and-chance.ts'

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
  /** Joins these rooms and keeps everything that depends on them up to date. */
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
  const requestWithRetry = createRequestWithRetry({ send, tools, conduct })
  const credential =
    'wallet' in as
      ? walletSession({ profile, jar: createCookieJar(), ...as, requestWithRetry, tools, conduct })
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
  const exchange = createExchange({ request, choices, tools, conduct })
  const quotes = createQuotes({ exchange, tools, conduct })
  let feed: KeptFeed | undefined

  return {
    exchange,
    quotes,
    signIn: async () => {
      if ('wallet' in as) await credential.replace({ rejected: credential.version(), attempt: 0 })
    },
    follow(rooms, { onRefetched = () => {}, onStop = () => {} } = {}) {
      const views = createRoomViews({ rooms: conduct.roomsToJoin(rooms), exchange, choices, conduct })
      const stop = (error: unknown) => {
        void feed?.close()
        onStop(error)
      }
      let last: Ticket | undefined
      const takeTicket = async (use: 'first' | 'renewal') => {
        last = await conduct.ticketFor({ fresh: exchange.ticket, last, isRenewal: use === 'renewal' })
        return last
      }
      const url = `${profile.wsUrl.replace(/\/$/, '')}/ws`
      feed = keepFeed(
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
      return views
    },
    async stop() {
      await feed?.close()
      quotes.stop()
      if ('wallet' in as) await exchange.post('/auth/logout').catch(() => {})
      requester.stop(new Error('the client has been stopped'))
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

/** A credential that is sent in headers, because URLs end up in logs. */
type HeaderCredential = Credential & { headersFor(request: Request): Record<string, string> }

/** For a bot without a wallet, which cannot create another token. */
function apiTokenCredential(token: string): HeaderCredential {
  const error = 'the API token was rejected: create another one'
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => token,
    keepFresh: () => undefined,
    replace: () => Promise.reject(new ExchangeError({ status: 401, body: { error } })),
  }
}

const SIGN_INS_MAX = 5

/** A wallet's session, with cookies in a jar that tabs may share. */
function walletSession(options: {
  profile: Profile
  wallet: Wallet
  jar: CookieJar
  requestWithRetry: RequestWithRetry
  tools: Tools
  conduct: Conduct
}): HeaderCredential {
  const { profile, wallet, jar, requestWithRetry, tools, conduct } = options
  const { choices } = profile
  const basePath = new URL(profile.baseUrl).pathname.replace(/\/$/, '')

  const headersFor = ({ method, path }: Pick<Request, 'method' | 'path'>) => {
    const cookie = jar.cookiesFor(basePath + path)
    return {
      ...(cookie !== '' && { cookie }),
      ...(method !== 'GET' && conduct.changeHeaders(jar.csrfToken())),
    }
  }
  const withHeaders = (request: Request): Request => ({ ...request, headers: headersFor(request) })
  const take = ({ headers, body }: ExchangeResponse) => {
    const csrfToken = at(body, choices.verify.csrfToken)
    jar.take(headers, typeof csrfToken === 'string' ? csrfToken : undefined)
  }

  const { random, nowMs, pause } = tools
  const port: SignInPort<ExchangeResponse | undefined> = {
    async challenge(request) {
      const challenge = await requestWithRetry(() => withHeaders(request))
      if (!isSuccess(challenge)) throw new ExchangeError(challenge)
      return textAt(challenge.body, 'data.message')
    },
    sign: (message) => signMessage(conduct.messageToSign(message), wallet, choices.signature),
    verify: (request) =>
      requestWithRetry(() => withHeaders(request), { attemptsMax: 1 }).catch(undefinedOnNoResponse),
  }
  const signInOrThrow = async () => {
    const response = await attemptUntilFinal(() => signIn(wallet.address, port), {
      waitAfter(response, attempt) {
        if (attempt + 1 === SIGN_INS_MAX || (response && isSuccess(response))) return undefined
        const request = { method: 'POST', repeatable: true } as const
        return conduct.retryDelayMs({ request, response, attempt, random, nowMs: nowMs() })
      },
      pause,
    })
    if (response === undefined) throw new NoResponse('POST /auth/verify got no response')
    if (!isSuccess(response)) throw new ExchangeError(response)
    take(response)
  }

  const refresh = async () => {
    let sent = 0
    const make = () => {
      sent = jar.version()
      return withHeaders({ method: 'POST', repeatable: true, path: '/auth/refresh' })
    }
    const response = await requestWithRetry(make).catch(undefinedOnNoResponse)
    if (response && isSuccess(response) && jar.version() === sent) take(response)
    return response?.status ?? 0
  }

  const { version, isEmpty } = jar
  const { afterLostRefresh } = conduct
  return {
    headersFor,
    ...keepSession({ port: { version, isEmpty, refresh, signIn: signInOrThrow }, tools, afterLostRefresh }),
  }
}

function undefinedOnNoResponse(error: unknown): undefined {
  if (!(error instanceof NoResponse)) throw error
}

function isSuccess({ status }: ExchangeResponse): boolean {
  return status >= 200 && status < 300
}

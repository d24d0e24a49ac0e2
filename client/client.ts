import type { Profile, Wallet } from '../contract/profile.ts'
import { type Conduct, RIGHT_CONDUCT } from './conduct.ts'
import { type CookieJar, createCookieJar } from './cookie-jar.ts'
import { apiTokenCredential, type Credential, signMessage } from './credential.ts'
import {
  at,
  createExchange,
  type Exchange,
  type Quote,
  type QuoteAsked,
  revisionAt,
  textAt,
} from './exchange.ts'
import { type Feed, openFeed } from './feed.ts'
import { type Ask, createAsk, createRequester } from './requester.ts'
import { createRoomViews, type RoomViews } from './room-views.ts'
import { type Answer, createSend, ExchangeError, NoAnswer, type Request } from './send.ts'
import { oneAtATime, pause, REAL_TIMERS, type Timers } from './timers.ts'

export type ClientOptions = {
  profile: Profile
  /** Who it is: a wallet, whose session other tabs may share, or a bot. */
  as: { wallet: Wallet; jar?: CookieJar } | { apiToken: string }
  /** Time (default: that of the machine). */
  timers?: Timers
  /** At least 0 and below 1 (default: `Math.random`). */
  random?: () => number
  /** How it does each of its duties (default: `RIGHT_CONDUCT`). */
  conduct?: Conduct
  /** Sends requests (default: the `fetch` of Node). */
  fetch?: typeof globalThis.fetch
}

export type Client = {
  exchange: Exchange
  quotes: Quotes
  /** Done at the first 401 otherwise; a bot with an API token has nothing to do. */
  signIn(): Promise<void>
  /** Opens the feed in these rooms and keeps what depends on them up to date. */
  follow(
    rooms: readonly string[],
    options?: { onRefetched?: () => void; onStop?: (error: unknown) => void },
  ): RoomViews
  /** Ends the feed and the session. */
  stop(): Promise<void>
}

/** A client of the exchange, put together. Nothing is sent until something is asked for. */
export function createClient(options: ClientOptions): Client {
  const { profile, as, timers = REAL_TIMERS, random = Math.random } = options
  const { conduct = RIGHT_CONDUCT, fetch = globalThis.fetch } = options
  const { choices } = profile
  const headers = { 'user-agent': 'breakwater-example-client', ...profile.headers }
  const urlOf = (request: Request) => conduct.urlOf(profile.baseUrl, request)
  const send = createSend({ timers, headers, urlOf, fetch })
  const ask = createAsk({ send, timers, random, conduct })
  const credential =
    'wallet' in as
      ? walletSession({ profile, jar: createCookieJar(), ...as, ask, timers, random, conduct })
      : apiTokenCredential(as.apiToken)
  const requester = createRequester({ ask, credential, conduct })
  const exchange = createExchange({ requester, choices, timers, conduct })
  const quotes = createQuotes({ exchange, conduct })
  let feed: Feed | undefined

  return {
    exchange,
    quotes,
    signIn: async () => {
      if ('wallet' in as) await credential.replace(credential.version())
    },
    follow(rooms, { onRefetched = () => {}, onStop = () => {} } = {}) {
      const views = createRoomViews({ rooms: conduct.roomsToJoin(rooms), exchange, choices, conduct })
      const opened = openFeed({
        url: conduct.feedUrl(profile.wsUrl),
        headers,
        rooms,
        ticket: exchange.ticket,
        timers,
        random,
        conduct,
        onEvent(event) {
          if (event.type !== 'ProtocolConfigChanged') return views.apply(event)
          const changed = async () => quotes.configChanged(revisionAt(event, 'data.revision'))
          changed().catch(opened.restart)
        },
        async onRefetch() {
          await Promise.all([views.refetch(), quotes.refetch()])
          onRefetched()
        },
        onStop,
      })
      feed = opened
      return views
    },
    async stop() {
      feed?.close()
      if ('wallet' in as) await exchange.post('/auth/logout').catch(() => {})
      requester.stop(new Error('the client has been stopped'))
    },
  }
}

/** A quote that is too old again and again means that the exchange cannot route by its newest configuration yet. */
const REQUOTES_MAX = 5

type Quotes = {
  /** Keeps it up to date from now on. undefined where there is no route that is not out of date. */
  ask(asked: QuoteAsked): Promise<Quote | undefined>
  /** Those that may be used: none is older than a revision that the feed has told of. */
  current(): Quote[]
  /** ProtocolConfigChanged tells that something has changed, not to what. */
  configChanged(revision: number): Promise<void>
  /** Asks for the configuration and for all quotes anew. */
  refetch(): Promise<void>
}

/** No quote kept, and no revision heard of yet. */
function createQuotes(options: { exchange: Exchange; conduct: Conduct }): Quotes {
  const { exchange, conduct } = options
  const kept = new Map<string, { asked: QuoteAsked; quote: Quote | undefined }>()
  /** The newest that anybody has told of. */
  let revision = 0
  /** The newest that REST is known to have. */
  let reached = 0

  const isUsable = (quote: Quote) => !conduct.isStale(quote, revision)
  const ask = async (asked: QuoteAsked) => {
    let quote = await exchange.quote(asked)
    for (let again = 0; quote && !isUsable(quote) && again < REQUOTES_MAX; again++) {
      await exchange.revision(revision)
      quote = await exchange.quote(asked)
    }
    const usable = quote && isUsable(quote) ? quote : undefined
    kept.set(JSON.stringify(asked), { asked, quote: usable })
    return usable
  }
  const askAll = () => Promise.all([...kept.values()].map(({ asked }) => ask(asked)))
  const askThoseOutOfDate = () =>
    Promise.all([...kept.values()].map(({ asked, quote }) => (quote && isUsable(quote) ? quote : ask(asked))))
  const catchUp = oneAtATime(async () => {
    while (reached < revision) {
      const wanted = revision
      await exchange.revision(wanted)
      reached = wanted
      await askThoseOutOfDate()
    }
  })

  return {
    ask,
    current: () => [...kept.values()].flatMap(({ quote }) => (quote && isUsable(quote) ? [quote] : [])),
    configChanged(told) {
      revision = Math.max(revision, told)
      return catchUp()
    },
    async refetch() {
      const told = await exchange.revision(revision)
      revision = Math.max(revision, told)
      await askAll()
    },
  }
}

const SIGN_INS_MAX = 5
/** How long another tab may take over its refresh before this one signs in again. */
const WINNER_MS_MAX = 5000

/** A wallet's session: cookies in a jar that tabs may share, a refresh where they have run out, else another sign-in. */
function walletSession(options: {
  profile: Profile
  wallet: Wallet
  jar: CookieJar
  ask: Ask
  timers: Timers
  random: () => number
  conduct: Conduct
}): Credential {
  const { profile, wallet, jar, ask, timers, random, conduct } = options
  const { choices } = profile
  const basePath = new URL(profile.baseUrl).pathname.replace(/\/$/, '')
  let replacing: Promise<void> | undefined

  const headersFor = ({ method, path }: Pick<Request, 'method' | 'path'>) => {
    const cookie = jar.cookiesFor(basePath + path)
    return {
      ...(cookie !== '' && { cookie }),
      ...(method !== 'GET' && conduct.changeHeaders(jar.csrfToken())),
    }
  }
  const post = (path: string, body?: object): Request => ({
    method: 'POST',
    path,
    headers: headersFor({ method: 'POST', path }),
    ...(body && { body }),
  })
  const take = ({ headers, body }: Answer) => {
    const csrfToken = at(body, choices.verify.csrfToken)
    jar.take(headers, typeof csrfToken === 'string' ? csrfToken : undefined)
  }

  /** Where verify is not answered, its challenge may be used up, so all begins anew. */
  const signIn = async () => {
    const { address } = wallet
    for (let attempt = 0; ; attempt++) {
      const challenge = await ask(() => post('/auth/challenge', { address }), { urgent: true })
      if (!isSuccess(challenge)) throw new ExchangeError(challenge)
      const message = conduct.messageToSign(textAt(challenge.body, 'data.message'))
      const signature = signMessage(message, wallet, choices.signature)
      const verify = ask(() => post('/auth/verify', { address, signature }), { attemptsMax: 1, urgent: true })
      const result = await verify.catch((error: NoAnswer) => error)
      const answer = result instanceof NoAnswer ? undefined : result
      if (answer && isSuccess(answer)) return take(answer)
      const delayMs = conduct.retryDelayMs({ answer, attempt, random })
      if (delayMs === undefined || attempt + 1 === SIGN_INS_MAX) {
        throw answer ? new ExchangeError(answer) : result
      }
      await pause(timers, delayMs)
    }
  }

  /** A 409 says that another tab is at it, whose cookies will be this tab's too. */
  const refresh = async () => {
    const before = jar.version()
    const answer = await ask(() => post('/auth/refresh'), { urgent: true })
    if (isSuccess(answer)) return take(answer)
    if (answer.status !== 409) return signIn()
    const untilWon = async () => {
      if (jar.version() === before) await Promise.race([jar.taken(), pause(timers, WINNER_MS_MAX)])
      return jar.version() !== before
    }
    await conduct.afterLostRefresh({ untilWon, signIn })
  }

  return {
    headersFor,
    version: jar.version,
    /** One at a time: whoever else was refused meanwhile waits for the same. */
    replace(refusedVersion) {
      if (jar.version() !== refusedVersion) return Promise.resolve()
      replacing ??= (jar.isEmpty() ? signIn() : refresh()).finally(() => {
        replacing = undefined
      })
      return replacing
    },
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

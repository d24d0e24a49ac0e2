import type { Profile, Wallet } from '../contract/profile.ts'
import { apiTokenCredential } from './api-token.ts'
import { createAsk } from './ask.ts'
import { revisionAt } from './at.ts'
import { type Conduct, RIGHT_CONDUCT } from './conduct.ts'
import { type CookieJar, createCookieJar } from './cookie-jar.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { type Feed, openFeed } from './feed.ts'
import { createQuotes, type Quotes } from './quotes.ts'
import { createRequester } from './request.ts'
import { createRoomViews, type RoomViews } from './room-views.ts'
import { createSend, type Request } from './send.ts'
import type { Timers } from './timers.ts'
import { walletSession } from './wallet-session.ts'

export type ClientOptions = {
  profile: Profile
  /** Who it is: a wallet, whose session other tabs may share, or a bot. */
  as: { wallet: Wallet; jar?: CookieJar } | { apiToken: string }
  timers: Timers
  /** At least 0 and below 1. */
  random: () => number
  conduct?: Conduct
  /** The way to the exchange, where it is another than Node's. */
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
  const { profile, as, timers, random, conduct = RIGHT_CONDUCT, fetch = globalThis.fetch } = options
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

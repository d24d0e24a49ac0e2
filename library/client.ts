/** `breakwater/client`: a correct client of the exchange (docs/guides/library.md). Only these exports are stable. */
import { z } from 'zod'
import { type Client, type ClientOptions, createClient as create } from '../client/client.ts'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { profileSchema, walletSchema } from '../contract/profile.ts'
import { parseArguments } from './parse-arguments.ts'

export type { Exchange, Quote, QuoteRequest } from '../client/exchange.ts'
export type { Ticket } from '../client/feed-connection.ts'
export { type CookieJar, createCookieJar } from '../client/header-credential.ts'
export type { RoomEvent, RoomView, RoomViews } from '../client/room-views.ts'
export { ExchangeError, NoResponse } from '../client/send.ts'
export type { Tools } from '../client/time-and-chance.ts'
export type { Profile, Wallet } from '../contract/profile.ts'
export { BreakwaterError, type Client, type ClientOptions }

/** Sends nothing until the first call. Throws a BreakwaterError for invalid options; so does each call for invalid arguments. */
export function createClient(options: ClientOptions): Client {
  const { profile } = parseArguments('createClient', optionsSchema, options, { what: 'set of options' })
  const { exchange, quotes, follow, ...others } = create({ ...options, profile })
  return {
    ...others,
    exchange: {
      ...exchange,
      async get(path, query) {
        parseArguments('get', readSchema, { path, query })
        return exchange.get(path, query)
      },
      async post(path, body) {
        parseArguments('post', writeSchema, { path, body })
        return exchange.post(path, body)
      },
      async list(path, query) {
        parseArguments('list', readSchema, { path, query })
        return exchange.list(path, query)
      },
      async quote(wanted) {
        parseArguments('quote', quoteSchema, { wanted })
        return exchange.quote(wanted)
      },
    },
    quotes: {
      ...quotes,
      async fetch(wanted) {
        parseArguments('fetch', quoteSchema, { wanted })
        return quotes.fetch(wanted)
      },
    },
    follow(rooms, events) {
      parseArguments('follow', followSchema, { rooms, options: events })
      return follow(rooms, events)
    },
  }
}

const isFunction = (value: unknown) => typeof value === 'function'
const anyFunction = z.custom<never>(isFunction, 'expected a function')

/** Fetch would retry each request with a bad header, and report that no response came. */
const apiToken = z.string().regex(/^[\x21-\x7e]+$/, 'expected printable ASCII without spaces')

const optionsSchema = z.strictObject({
  profile: profileSchema,
  as: z.union(
    [
      z.strictObject({
        wallet: walletSchema,
        jar: z
          .custom<never>((jar) => typeof jar === 'object' && jar !== null, 'expected a cookie jar')
          .optional(),
      }),
      z.strictObject({ apiToken }),
    ],
    { error: 'expected { wallet } or { apiToken }' },
  ),
  tools: z
    .looseObject({ nowMs: anyFunction, random: anyFunction, pause: anyFunction, after: anyFunction })
    .optional(),
  conduct: z.looseObject({}).optional(),
  fetch: anyFunction.optional(),
  WebSocket: anyFunction.optional(),
})

const path = z.string().regex(/^\//, 'expected a path that starts with /')
const readSchema = z.object({ path, query: z.looseObject({}).optional() })
const writeSchema = z.object({ path, body: z.looseObject({}).optional() })
const text = z.string().min(1)
const quoteSchema = z.object({ wanted: z.looseObject({ tokenIn: text, tokenOut: text, amountIn: text }) })
const followSchema = z.object({
  rooms: z.array(text),
  options: z.strictObject({ onRefetched: anyFunction.optional(), onStop: anyFunction.optional() }).optional(),
})

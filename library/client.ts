/** `breakwater/client`: a correct client of the exchange (docs/library.md). What is exported here stays; the rest may change. */
export { type Client, type ClientOptions, createClient } from '../client/client.ts'
export { type CookieJar, createCookieJar } from '../client/cookie-jar.ts'
export type { Exchange, Quote, QuoteAsked, Ticket } from '../client/exchange.ts'
export type { FeedEvent } from '../client/feed-socket.ts'
export type { RoomView, RoomViews } from '../client/room-views.ts'
export { ExchangeError, NoAnswer } from '../client/send.ts'
export type { Timers } from '../client/timers.ts'
export type { Profile, Wallet } from '../contract/profile.ts'

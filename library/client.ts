/** `breakwater/client`: a correct client of the exchange (docs/guides/library.md). Only these exports are stable. */
export { type Client, type ClientOptions, createClient } from '../client/client.ts'
export type { Exchange, Quote, QuoteRequest } from '../client/exchange.ts'
export type { Ticket } from '../client/feed-connection.ts'
export { type CookieJar, createCookieJar } from '../client/header-credential.ts'
export type { RoomEvent, RoomView, RoomViews } from '../client/room-views.ts'
export { ExchangeError, NoResponse } from '../client/send.ts'
export type { Tools } from '../client/time-and-chance.ts'
export type { Profile, Wallet } from '../contract/profile.ts'

/** What exploring needs of an exchange: its addresses and choices, wallets, requests, sockets and time. */
import type { Profile, Wallet } from '../contract/profile.ts'

export type Reply = {
  /** 0: no complete response. */
  status: number
  body: unknown
  /** Cookies that the response sets, by name; an empty value deletes one. */
  cookies: Readonly<Record<string, string>>
  /** The response as it came; absent if the target does not show it. */
  raw?: RawReply
}

export type RawReply = {
  /** Names in lower case. Without Set-Cookie. */
  headers: Readonly<Record<string, string>>
  text: string
  /** Names of the set cookies that have HttpOnly. */
  httpOnly: readonly string[]
}

export type ExploreRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  /** May carry a query. */
  path: string
  body?: object
  headers?: Readonly<Record<string, string>>
}

/** Receives in order. `text` of each frame; the close has a code, 1006 without a close frame. */
export type SocketEvents = { received(text: string): void; closed(code: number): void; pong(): void }
export type ExploreSocket = { send(text: string): void; ping(): void; close(): void }

export type ExploreTarget = {
  profile: Profile
  /** With access and a way to sign; never the witness's. Each sequence uses the next ones. */
  wallets: readonly Wallet[]
  witness: Wallet
  /** Wallets without access that can sign. */
  outsiders?: readonly Wallet[]
  /** Sends once and waits as long as a 429 says, within limits. Never throws. */
  request(request: ExploreRequest): Promise<Reply>
  sign(wallet: Wallet, message: string): Promise<string>
  /** Resolves to null if the handshake fails. */
  openSocket(events: SocketEvents): Promise<ExploreSocket | null>
  /** The clock of the target, in ms: ages of tickets and sessions are measured on it. */
  nowMs(): number
  /** Lets this much time pass for the target. */
  pass(ms: number): Promise<void>
  /** Lets something happen in the market: a block, or some time. */
  stir(): Promise<void>
  /** False: no wait as long as an access session. */
  isSlowAllowed: boolean
  interrupted: AbortSignal
}

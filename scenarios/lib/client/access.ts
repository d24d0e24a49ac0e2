import { singleFlight } from '../../../client/once.ts'
import type { Tools } from '../../../client/time-and-chance.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential } from '../requests/request.ts'
import { CannotJudge } from '../verdict/judge.ts'

export type Access = {
  /** Identifies its balance room, if known. */
  address: string | undefined
  /** The credential that requests send now; undefined: none. */
  credential(): Credential | undefined
  /** Runs before each request: refreshes a session that is about to expire. */
  keepFresh(): Promise<unknown> | undefined
  /** Ways to replace a credential rejected with 401, in order. Each returns true if there may be a new one to try. */
  replacements: readonly ((rejected: Credential | undefined) => Promise<boolean>)[]
  leave(): Promise<void>
}

/** For an API token or no credential, which cannot be replaced. */
export function fixedAccess(credential: Credential | undefined): Access {
  return {
    address: undefined,
    credential: () => credential,
    keepFresh: () => undefined,
    replacements: [],
    leave: async () => {},
  }
}

export type Jar = {
  address: string
  credential(): Extract<Credential, { cookie: string }>
  /** Refreshes and keeps the new cookies, unless they have changed since: a winner's cookies outrank a loser's response. */
  refresh(): Promise<Reply>
  signIn(): Promise<void>
  signOut(): Promise<void>
}

const WINNER_MS = 3000
const POLL_MS = 50
/** Delay after a failed refresh: the session may still be alive. */
const RETRY_MS = 30_000
/** Keeps clients that signed in together from refreshing together. */
const SPREAD_SHARE = 0.1

/**
 * Keeps a session alive. Concurrent 401s cause one refresh, which all wait for. After a 409, another tab is refreshing,
 * so this waits for its cookies. If a refresh is rejected, the wallet signs in again.
 */
export function createSessionAccess(options: { jar: Jar; tools: Tools; refreshAfterMs: number }): Access {
  const { jar, tools } = options
  const nextRefreshMs = () => tools.nowMs() + options.refreshAfterMs * (1 - SPREAD_SHARE * tools.random())
  let refreshAtMs = nextRefreshMs()
  const isCurrent = (credential: Credential | undefined) =>
    credential !== undefined && 'cookie' in credential && credential.cookie === jar.credential().cookie

  const refresh = singleFlight(async () => {
    const sent = jar.credential()
    try {
      const { status } = await jar.refresh()
      if (status === 409) await awaitWinner(sent)
      // The winner's cookies may have arrived: retry, and let the exchange decide.
      return status === 409 || !isCurrent(sent)
    } finally {
      refreshAtMs = isCurrent(sent) ? tools.nowMs() + RETRY_MS : nextRefreshMs()
    }
  })
  const awaitWinner = async (sent: Credential) => {
    const untilMs = tools.nowMs() + WINNER_MS
    while (isCurrent(sent) && tools.nowMs() < untilMs) await tools.pause(POLL_MS)
  }
  const signIn = singleFlight(async () => {
    await jar.signIn()
    refreshAtMs = nextRefreshMs()
    return true
  })
  /** Does not replace a credential that another request or tab has already replaced. */
  const unlessReplaced = (replace: () => Promise<boolean>) => async (rejected: Credential | undefined) =>
    isCurrent(rejected) ? await replace().catch(falseIfCannotJudge) : true

  return {
    address: jar.address,
    credential: jar.credential,
    keepFresh: () => (tools.nowMs() >= refreshAtMs ? refresh().catch(falseIfCannotJudge) : undefined),
    replacements: [unlessReplaced(refresh), unlessReplaced(signIn)],
    leave: jar.signOut,
  }
}

/** A lost response may have been a success: the next request shows. */
function falseIfCannotJudge(error: unknown): false {
  if (error instanceof CannotJudge) return false
  throw error
}

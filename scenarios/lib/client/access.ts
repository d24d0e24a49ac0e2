import { singleFlight } from '../../../client/once.ts'
import type { Tools } from '../../../client/time-and-chance.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential } from '../requests/request.ts'
import { CannotJudge } from '../verdict/cannot.ts'

/** How a client proves who it is. */
export type Access = {
  /** Of its balance room; undefined where it is not known. */
  address: string | undefined
  /** What requests send now; undefined: nothing. */
  credential(): Credential | undefined
  /** Before each request: refreshes what is about to end, which is to be awaited. */
  keepFresh(): Promise<unknown> | undefined
  /**
   * In turn, after a 401: ways to replace the credential that was refused. Each tells whether there is another one by now,
   * or may be; whether it is good, the next answer tells.
   */
  replacements: readonly ((refused: Credential | undefined) => Promise<boolean>)[]
  leave(): Promise<void>
}

/** An API token, or nothing at all: what cannot be replaced. */
export function fixedAccess(credential: Credential | undefined): Access {
  return {
    address: undefined,
    credential: () => credential,
    keepFresh: () => undefined,
    replacements: [],
    leave: async () => {},
  }
}

/** The cookies of a session, which several tabs may share, and what changes them. */
export type Jar = {
  address: string
  credential(): Extract<Credential, { cookie: string }>
  /**
   * Asks for a refresh, and keeps what a success sets, unless somebody else has changed the cookies meanwhile: the winner
   * of a race wins over the answer to a loser.
   */
  refresh(): Promise<Reply>
  /** A new session in the place of the old one. */
  signIn(): Promise<void>
  signOut(): Promise<void>
}

/** How long the winner of a race may take. */
const WINNER_MS = 3000
const LOOK_MS = 50
/** After a refresh that came to nothing: the session may live on meanwhile. */
const AGAIN_MS = 30_000
/** Clients that signed in together do not refresh together. */
const SPREAD_SHARE = 0.1

/**
 * A session that is kept alive. However many requests meet a 401, one refresh is made, and all wait for it; a 409 says that
 * another tab is at it, so its cookies are waited for; where a refresh is refused, the wallet signs in anew.
 */
export function createSessionAccess(options: { jar: Jar; tools: Tools; refreshAfterMs: number }): Access {
  const { jar, tools } = options
  const nextRefreshMs = () => tools.nowMs() + options.refreshAfterMs * (1 - SPREAD_SHARE * tools.random())
  let refreshAtMs = nextRefreshMs()
  const isStill = (refused: Credential | undefined) =>
    refused !== undefined && 'cookie' in refused && refused.cookie === jar.credential().cookie

  const refresh = singleFlight(async () => {
    const sent = jar.credential()
    try {
      const { status } = await jar.refresh()
      if (status === 409) await winnerOf(sent)
      // The winner's cookies may be there already: whether the request is served now is for the exchange to say.
      return status === 409 || !isStill(sent)
    } finally {
      refreshAtMs = isStill(sent) ? tools.nowMs() + AGAIN_MS : nextRefreshMs()
    }
  })
  const winnerOf = async (sent: Credential) => {
    const untilMs = tools.nowMs() + WINNER_MS
    while (isStill(sent) && tools.nowMs() < untilMs) await tools.pause(LOOK_MS)
  }
  const signIn = singleFlight(async () => {
    await jar.signIn()
    refreshAtMs = nextRefreshMs()
    return true
  })
  /** What was replaced already, by another request or tab, is not replaced again. */
  const unlessReplaced = (replace: () => Promise<boolean>) => async (refused: Credential | undefined) =>
    isStill(refused) ? await replace().catch(falseAtTrouble) : true

  return {
    address: jar.address,
    credential: jar.credential,
    keepFresh: () => (tools.nowMs() >= refreshAtMs ? refresh().catch(falseAtTrouble) : undefined),
    replacements: [unlessReplaced(refresh), unlessReplaced(signIn)],
    leave: jar.signOut,
  }
}

/** An answer that never came may have been a success: what follows tells. */
function falseAtTrouble(error: unknown): false {
  if (error instanceof CannotJudge) return false
  throw error
}

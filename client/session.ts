import { singleFlight } from './once.ts'
import type { Tools } from './time-and-chance.ts'

/** `repeatable`: may be sent again. */
type SignInRequest = { method: 'POST'; repeatable?: true; path: string; body: object }

export function challengeRequest(address: string): SignInRequest {
  return { method: 'POST', path: '/auth/challenge', body: { address }, repeatable: true }
}

export function verifyRequest(body: { address: string; signature: string }): SignInRequest {
  return { method: 'POST', path: '/auth/verify', body }
}

export type SignInPort<Verified> = {
  /** Returns the message to sign. */
  challenge(request: SignInRequest): Promise<string>
  sign(message: string): Promise<string> | string
  verify(request: SignInRequest): Promise<Verified>
}

/** Signs a wallet in. A lost response to verify may have used up the challenge: start over then. */
export async function signIn<Verified>(address: string, port: SignInPort<Verified>): Promise<Verified> {
  const message = await port.challenge(challengeRequest(address))
  return await port.verify(verifyRequest({ address, signature: await port.sign(message) }))
}

/** The cookies of a wallet's session, which tabs may share, and the requests that replace them. */
export type SessionPort = {
  /** Changes with each sign-in and each refresh in any tab. */
  version(): unknown
  isEmpty(): boolean
  /** Refreshes and keeps the new cookies, unless others have arrived since. Returns the status; 0: no response. */
  refresh(): Promise<number>
  signIn(): Promise<void>
}

/** Time for another tab to finish its refresh. */
const WINNER_MS_MAX = 5000
const POLL_MS = 50
/** Delay after an early refresh that failed: the session may still be alive. */
const RETRY_MS = 30_000
/** Keeps clients that signed in together from refreshing together. */
const SPREAD_SHARE = 0.1

/**
 * Keeps a session alive. Concurrent 401s cause one refresh, which all wait for. After a 409, another tab is refreshing:
 * its cookies will be this tab's too. If a refresh fails, or its cookies are rejected, the wallet signs in again.
 */
export function keepSession(options: {
  port: SessionPort
  tools: Pick<Tools, 'nowMs' | 'random' | 'pause'>
  /** Refreshes before the next request once the cookies are this old, or up to a tenth less. By default, only after a 401. */
  refreshAfterMs?: number
  afterLostRefresh?: (untilWon: () => Promise<boolean>) => Promise<boolean>
}): Credential {
  const { port, tools, refreshAfterMs, afterLostRefresh } = options
  const nextRefreshMs = () => tools.nowMs() + (refreshAfterMs ?? 0) * (1 - SPREAD_SHARE * tools.random())
  let refreshAtMs = nextRefreshMs()

  const refresh = singleFlight(async () => {
    const before = port.version()
    const isReplaced = () => port.version() !== before
    const untilWon = async () => {
      const untilMs = tools.nowMs() + WINNER_MS_MAX
      while (!isReplaced() && tools.nowMs() < untilMs) await tools.pause(POLL_MS)
      return isReplaced()
    }
    try {
      const status = await port.refresh()
      return status === 409 ? await (afterLostRefresh?.(untilWon) ?? untilWon()) : isReplaced()
    } finally {
      refreshAtMs = isReplaced() ? nextRefreshMs() : tools.nowMs() + RETRY_MS
    }
  })
  const signIn = singleFlight(async () => {
    await port.signIn()
    refreshAtMs = nextRefreshMs()
  })
  const renew = singleFlight(async () => {
    if (port.isEmpty() || !(await refresh())) await signIn()
  })

  return {
    version: port.version,
    keepFresh: () => (refreshAfterMs !== undefined && tools.nowMs() >= refreshAtMs ? refresh() : undefined),
    async replace({ rejected, attempt }) {
      if (port.version() === rejected) await (attempt === 0 ? renew() : signIn())
      return true
    },
  }
}

/** Authenticates the requests of a client. */
export type Credential = {
  /** Changes whenever the credential is replaced. */
  version(): unknown
  /** Runs before each request: renews a credential that is about to expire. */
  keepFresh(): Promise<unknown> | undefined
  /** Replaces the credential `rejected`, which got a 401, unless others already have. False if there is no other. */
  replace(rejection: Rejection): Promise<boolean>
}

/** `attempt`: 0 for the first 401 of a request. */
export type Rejection = { rejected: unknown; attempt: number }

const REPLACED_MAX = 2

export type Requester<Response> = {
  /**
   * Calls `request`, and again after a 401 with another credential. `request` calls `begin` before each attempt, which
   * throws once the client has stopped.
   */
  send(request: (begin: () => void) => Promise<Response>): Promise<Response>
  isStopped(): boolean
  /** Makes `begin` and later calls throw the reason. Resolves once nothing is in flight: the session can then be ended. */
  stop(reason: Error): Promise<void>
}

/** Replaces the credential after a 401; throws at a 403, or a 401 that persists, and then sends nothing any more. */
export function createRequester<Response extends { status: number }>(options: {
  credential: Credential
  replace?: (credential: Credential, rejection: Rejection) => Promise<boolean>
  /** The error for a 401 or 403. */
  deny: (response: Response) => Error
  /** True for an error after which no other request can succeed. */
  stopsAt: (error: unknown) => boolean
}): Requester<Response> {
  const { credential, deny, stopsAt } = options
  const { replace = (current, rejection) => current.replace(rejection) } = options
  let stopped: unknown
  const note = (error: unknown) => {
    if (stopsAt(error)) stopped ??= error
    return error
  }

  let underWay = 0
  const idle: (() => void)[] = []
  const leave = () => {
    underWay -= 1
    if (underWay === 0) for (const resolve of idle.splice(0)) resolve()
  }
  const mustGoOn = () => {
    if (stopped) throw stopped
  }

  return {
    async send(request) {
      mustGoOn()
      underWay += 1
      try {
        const renewing = credential.keepFresh()
        if (renewing !== undefined) await renewing
        let rejected: unknown
        const begin = () => {
          mustGoOn()
          rejected = credential.version()
        }
        for (let attempt = 0; ; attempt++) {
          const response = await request(begin)
          const { status } = response
          if (status !== 401 && status !== 403) return response
          // No new session for a client that has stopped.
          mustGoOn()
          const isReplaced =
            status === 401 &&
            attempt < REPLACED_MAX &&
            (await replace(credential, { rejected, attempt }).catch((error: unknown) => {
              throw note(error)
            }))
          if (!isReplaced) throw note(deny(response))
        }
      } finally {
        leave()
      }
    },
    isStopped: () => stopped !== undefined,
    stop(reason) {
      stopped ??= reason
      return new Promise((resolve) => {
        if (underWay === 0) resolve()
        else idle.push(resolve)
      })
    },
  }
}

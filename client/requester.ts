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
  stop(reason: Error): void
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

  return {
    async send(request) {
      if (stopped) throw stopped
      const renewing = credential.keepFresh()
      if (renewing !== undefined) await renewing
      let rejected: unknown
      const begin = () => {
        if (stopped) throw stopped
        rejected = credential.version()
      }
      for (let attempt = 0; ; attempt++) {
        const response = await request(begin)
        const { status } = response
        if (status !== 401 && status !== 403) return response
        const isReplaced =
          status === 401 &&
          attempt < REPLACED_MAX &&
          (await replace(credential, { rejected, attempt }).catch((error: unknown) => {
            throw note(error)
          }))
        if (!isReplaced) throw note(deny(response))
      }
    },
    stop(reason) {
      stopped ??= reason
    },
  }
}

import type { Conduct } from './conduct.ts'
import type { Credential } from './credential.ts'
import { createRateGate } from './retry-wait.ts'
import {
  ExchangeError,
  type ExchangeResponse,
  NoResponse,
  type Request,
  type Send,
  type Request as Sent,
} from './send.ts'
import type { Tools } from './time-and-chance.ts'

/** A longer wait is not a rate limit: the request fails instead. */
const WAIT_MS_MAX = 60_000

/**
 * Repeats a request, within limits, if that may help; returns the last response, whatever its status. Calls `make`
 * for each attempt, so that each uses the current credential. Throws NoResponse.
 */
export type RequestWithRetry = (
  make: () => Request,
  options?: { attemptsMax?: number },
) => Promise<ExchangeResponse>

/** Sends requests, and repeats them as the conduct says. A 429 delays all later requests. */
export function createRequestWithRetry(options: {
  send: Send
  tools: Tools
  conduct: Pick<Conduct, 'retryDelayMs' | 'attemptsMax'>
}): RequestWithRetry {
  const { send, tools, conduct } = options
  const { nowMs, random, pause } = tools
  const gate = createRateGate(tools)

  return async (make, { attemptsMax = conduct.attemptsMax } = {}) => {
    for (let attempt = 0; ; attempt++) {
      await gate.pass()
      const result = await send(make()).catch(keepNoResponse)
      const response = result instanceof NoResponse ? undefined : result
      const delayMs = conduct.retryDelayMs({ response, attempt, random, nowMs: nowMs() })
      const waitMs = delayMs !== undefined && delayMs <= WAIT_MS_MAX ? delayMs : undefined
      if (response?.status === 429 && waitMs !== undefined) gate.shut(waitMs)
      if (waitMs === undefined || attempt + 1 >= attemptsMax) {
        if (result instanceof NoResponse) throw result
        return result
      }
      await pause(waitMs)
    }
  }
}

function keepNoResponse(error: unknown): NoResponse {
  if (error instanceof NoResponse) return error
  throw error
}

const REPLACED_MAX = 2

export type Requester = {
  /** Sends the credential; returns the body of a success. Throws ExchangeError or NoResponse. */
  request(request: Omit<Sent, 'headers'>, options?: { attemptsMax?: number }): Promise<ExchangeResponse>
  stop(reason: Error): void
}

/** Replaces the credential after a 401 and sends the request again; after a 403 sends nothing any more. */
export function createRequester(options: {
  requestWithRetry: RequestWithRetry
  credential: Credential
  conduct: Pick<Conduct, 'replaceCredential' | 'stopsAt'>
}): Requester {
  const { requestWithRetry, credential, conduct } = options
  let stopped: Error | undefined
  const noted = (error: unknown) => {
    if (error instanceof ExchangeError && conduct.stopsAt(error)) stopped = error
    return error
  }

  return {
    async request(request, limits) {
      for (let replaced = 0; ; replaced++) {
        let version = 0
        const make = () => {
          if (stopped) throw stopped
          version = credential.version()
          return { ...request, headers: credential.headersFor(request) }
        }
        const response = await requestWithRetry(make, limits)
        if (response.status >= 200 && response.status < 300) return response
        const mayReplace = response.status === 401 && replaced < REPLACED_MAX
        if (!mayReplace) throw noted(new ExchangeError(response))
        await conduct.replaceCredential(credential, version).catch((error) => {
          throw noted(error)
        })
      }
    },
    stop(reason) {
      stopped ??= reason
    },
  }
}

import type { Ask } from './ask.ts'
import type { Conduct } from './conduct.ts'
import type { Credential } from './credential.ts'
import { ExchangeError } from './exchange-error.ts'
import type { Answer, Request as Sent } from './send.ts'

const REPLACED_MAX = 2

export type Requester = {
  /** With the credential; the body of a success. Throws ExchangeError or NoAnswer. */
  request(
    request: Omit<Sent, 'headers'>,
    options?: { attemptsMax?: number; urgent?: boolean },
  ): Promise<Answer>
  /** Nothing is sent from here on. */
  stop(reason: Error): void
}

/** Replaces the credential after a 401 and sends the request again; after a 403 sends nothing any more. */
export function createRequester(options: {
  ask: Ask
  credential: Credential
  conduct: Pick<Conduct, 'replaceCredential' | 'stopsAt'>
}): Requester {
  const { ask, credential, conduct } = options
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
        const answer = await ask(make, limits)
        if (answer.status >= 200 && answer.status < 300) return answer
        const mayReplace = answer.status === 401 && replaced < REPLACED_MAX
        if (!mayReplace) throw noted(new ExchangeError(answer))
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

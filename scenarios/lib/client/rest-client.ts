import { GaveUp, type Patiently } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { CannotJudge } from '../verdict/judge.ts'
import type { Access } from './access.ts'

export type RestClient = {
  address: string | undefined
  credential(): Credential | undefined
  /**
   * Sends a request with the client's credential. Waits after a 429, retries a 5xx a bounded number of times (then CannotJudge),
   * and replaces the credential after a 401. Throws ClientStopped once the exchange denies access for good.
   */
  send(spec: RequestSpec): Promise<Reply>
  beforeLeaving(close: () => Promise<void>): void
  /** Runs `beforeLeaving`, then signs out. */
  leave(): Promise<void>
}

/** The exchange denied access (403) or rejected all credentials (401): the client sends no more requests. */
export class ClientStopped extends CannotJudge {}

export function createRestClient(options: {
  access: Access
  /** Sends a request without retries. */
  once: (spec: RequestSpec) => Promise<Reply>
  patiently: Patiently
}): RestClient {
  const { access, once, patiently } = options
  const closing: (() => Promise<void>)[] = []
  let stopped: ClientStopped | undefined

  const stopAt = (reply: Reply): never => {
    stopped = new ClientStopped(`the exchange denied the client access: ${reply.evidence()}`)
    throw stopped
  }
  return {
    address: access.address,
    credential: access.credential,
    async send(spec) {
      let credential: Credential | undefined
      const trySend = () =>
        patiently(spec, () => {
          if (stopped) throw stopped
          credential = access.credential()
          return once({ ...spec, credential })
        })
      if (stopped) throw stopped
      const refreshing = access.keepFresh()
      if (refreshing !== undefined) await refreshing
      let reply = await trySend()
      for (const replace of access.replacements) {
        if (reply.status !== 401) break
        if (await replace(credential)) reply = await trySend()
      }
      return reply.status === 401 || reply.status === 403 ? stopAt(reply) : reply
    },
    beforeLeaving: (close) => void closing.push(close),
    async leave() {
      for (const close of closing.splice(0)) await close()
      await access.leave()
    },
  }
}

/** A stopped client must not retry; after other errors, the exchange may recover. */
export function afterError(error: unknown): number | 'stop' {
  if (error instanceof ClientStopped) return 'stop'
  if (!(error instanceof CannotJudge)) throw error
  return error instanceof GaveUp ? error.waitMs : 0
}

import { GaveUp, type Patiently } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import type { Access } from './access.ts'

export type RestClient = {
  address: string | undefined
  credential(): Credential | undefined
  /**
   * Sends a request with the client's credential. A 429 holds up the client, a 5xx is tried again within bounds (then
   * CannotJudge), a 401 replaces the credential and sends the same request again. Throws ClientStopped once the client has
   * no business there any more.
   */
  send(spec: RequestSpec): Promise<Reply>
  /** Runs before the client leaves: closes what it has open. */
  beforeLeaving(close: () => Promise<void>): void
  /** Closes what is open, and signs out. */
  leave(): Promise<void>
}

/** The exchange has said that the client has no access (403), or takes none of its credentials (401): it asks nothing more. */
export class ClientStopped extends CannotJudge {}

/** A client that asks with the credential of `access`, replaces it once after a 401, and stops where it has no access. */
export function createRestClient(options: {
  access: Access
  /** Sends a request once. */
  once: (spec: RequestSpec) => Promise<Reply>
  patiently: Patiently
}): RestClient {
  const { access, once, patiently } = options
  const closing: (() => Promise<void>)[] = []
  let stopped: ClientStopped | undefined

  const stopAt = (reply: Reply): never => {
    stopped = new ClientStopped(`the client has no business there any more: ${reply.evidence()}`)
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

/** A client that was stopped has nothing to insist on; the exchange may serve it later whatever it could not read now. */
export function afterError(error: unknown): number | 'stop' {
  if (error instanceof ClientStopped) return 'stop'
  if (!(error instanceof CannotJudge)) throw error
  return error instanceof GaveUp ? error.toldMs : 0
}

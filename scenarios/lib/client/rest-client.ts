import { createRequester, type Credential as Replaceable } from '../../../client/session.ts'
import type { StoppableWaits } from '../../../client/time-and-chance.ts'
import { GaveUp, type Patiently } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { CannotJudge } from '../verdict/judge.ts'

export type RestClient = {
  address: string | undefined
  credential(): Credential | undefined
  /**
   * Sends a request with the client's credential. Waits after a 429, retries a 5xx a bounded number of times (then CannotJudge),
   * and replaces the credential after a 401. Throws ClientStopped once the exchange denies access for good.
   */
  send(spec: RequestSpec): Promise<Reply>
  beforeLeaving(close: () => Promise<void>): void
  /** Stops all requests, also those that wait for a retry, and runs `beforeLeaving`. Then signs out. */
  leave(): Promise<void>
}

/** The client sends no more requests: the exchange denied access (403) or rejected all credentials (401), or the client left. */
export class ClientStopped extends CannotJudge {}

export const CLIENT_LEFT = new ClientStopped('the client has left')

/** The credential of a client, and how it is replaced. */
export type Access = {
  /** Identifies its balance room, if known. */
  address: string | undefined
  /** The same object until it is replaced; undefined: none. */
  credential(): Credential | undefined
  leave(): Promise<void>
} & Pick<Replaceable, 'keepFresh' | 'replace'>

/** For an API token or no credential, which cannot be replaced. */
export function fixedAccess(credential: Credential | undefined): Access {
  return {
    address: undefined,
    credential: () => credential,
    keepFresh: () => undefined,
    replace: async () => false,
    leave: async () => {},
  }
}

export function createRestClient(options: {
  access: Access
  /** Sends a request without retries. */
  once: (spec: RequestSpec) => Promise<Reply>
  /** Throws CLIENT_LEFT once the waits are stopped. */
  patiently: Patiently
  waits: Pick<StoppableWaits, 'stop'>
}): RestClient {
  const { access, once, patiently, waits } = options
  const { address, credential, leave } = access
  const requester = createRequester<Reply>({
    credential: { ...access, version: credential },
    deny: (reply) => new ClientStopped(`the exchange denied the client access: ${reply.evidence()}`),
    stopsAt: (error) => error instanceof ClientStopped,
  })
  const closing: (() => Promise<void>)[] = []
  return {
    address,
    credential,
    send: (spec) =>
      requester.send((begin) =>
        patiently(spec, () => {
          begin()
          return once({ ...spec, credential: credential() })
        }),
      ),
    beforeLeaving: (close) => void closing.push(close),
    async leave() {
      waits.stop()
      const closed = closing.splice(0).map((close) => close())
      await Promise.all([requester.stop(CLIENT_LEFT), ...closed])
      await leave()
    },
  }
}

/** A stopped client must not retry; after other errors, the exchange may recover. */
export function afterError(error: unknown): number | 'stop' {
  if (error instanceof ClientStopped) return 'stop'
  if (!(error instanceof CannotJudge)) throw error
  return error instanceof GaveUp ? error.waitMs : 0
}

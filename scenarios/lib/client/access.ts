import type { Credential } from '../requests/request.ts'

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

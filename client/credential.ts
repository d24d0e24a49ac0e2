import type { Request } from './send.ts'

/** What shows the exchange who asks. */
export type Credential = {
  /** What goes with a request. Never into its address, where it would end up in logs. */
  headersFor(request: Request): Record<string, string>
  /** Another number whenever another credential has taken the place of the last. */
  version(): number
  /** Puts another in the place of the one of `refusedVersion`, which was refused with 401. Throws where there is none. */
  replace(refusedVersion: number): Promise<void>
}

/** For a bot without a wallet: only who has made the token can make another. */
export function apiTokenCredential(token: string): Credential {
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => 0,
    replace: () => Promise.reject(new Error('the API token was refused: another one is needed')),
  }
}

import type { Request } from './send.ts'

export type Credential = {
  /** Headers only: URLs end up in logs. */
  headersFor(request: Request): Record<string, string>
  /** Changes whenever the credential is replaced. */
  version(): number
  /** Replaces the credential of `refusedVersion`, which got a 401. Throws if there is no other. */
  replace(refusedVersion: number): Promise<void>
}

/** For a bot without a wallet, which cannot create another token. */
export function apiTokenCredential(token: string): Credential {
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => 0,
    replace: () => Promise.reject(new Error('the API token was rejected (401): create another one')),
  }
}

import type { Credential } from './credential.ts'

/** For a bot without a wallet: only who has made the token can make another. */
export function apiTokenCredential(token: string): Credential {
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => 0,
    replace: () => Promise.reject(new Error('the API token was refused: another one is needed')),
  }
}

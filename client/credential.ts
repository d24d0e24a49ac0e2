import type { Credential } from './requester.ts'
import { ExchangeError, type Request } from './send.ts'

/** A credential that is sent in headers, because URLs end up in logs. */
export type HeaderCredential = Credential & {
  headersFor(request: Request): Record<string, string>
}

/** For a bot without a wallet, which cannot create another token. */
export function apiTokenCredential(token: string): HeaderCredential {
  const error = 'the API token was rejected: create another one'
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => token,
    keepFresh: () => undefined,
    replace: () => Promise.reject(new ExchangeError({ status: 401, body: { error } })),
  }
}

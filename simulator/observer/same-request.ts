import type { ObservedRequest } from './observed.ts'

/** Equal for requests that may be retries of one another: the same, by the same credential, from the same program. */
export function sameRequest(request: ObservedRequest): string {
  const { method, url, credentialId, remoteAddress, userAgent } = request
  return `${method} ${url} ${credentialId ?? ''} ${remoteAddress} ${userAgent}`
}

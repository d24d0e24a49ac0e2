import type { Capacity } from '../../contract/capacity.ts'

/** `62 of 300 s; 18000 requests`. */
export function budgetText({
  secondsUsed,
  secondsMax,
  requestsUsed,
  requestsMax,
}: Capacity['budget']): string {
  const requests = requestsMax === null ? `${requestsUsed}` : `${requestsUsed} of ${requestsMax}`
  return `${Math.round(secondsUsed)} of ${Math.round(secondsMax)} s; ${requests} requests`
}

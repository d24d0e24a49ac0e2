import type { Asked } from '../deviations/deviation.ts'

/** Responses to a credential that has got 429 before. */
export function afterLimit() {
  const limited = new Set<string>()
  return ({ request: { credential }, status }: Asked) => {
    const id = typeof credential === 'string' ? credential : credential.id
    const wasLimited = limited.has(id)
    if (status === 429) limited.add(id)
    return wasLimited && status !== 429
  }
}

import { beyondBounds } from './response-bounds.ts'

/** A public read that every exchange has. */
export const EVERYBODYS_READ = '/tokens'

/**
 * Why what answered that read is no exchange; undefined where it may be one. A web server that has never heard of it is quick, and its
 * speed would pass for capacity. Trouble (5xx, 429) and a refusal of who asks (401, 403) are for the load to judge.
 */
export function whyNoExchange({ status, body }: { status: number; body: string }): string | undefined {
  if (JUDGED.includes(status) || status >= 500) return undefined
  if (status !== 200) return `answered ${status}; expected 200`
  const beyond = beyondBounds(body)
  if (beyond !== undefined) return `answered 200, with ${beyond}`
  return isJson(body) ? undefined : 'answered 200, and no JSON'
}

const JUDGED: readonly number[] = [401, 403, 429]

function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

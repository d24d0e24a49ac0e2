import { pick, pickText } from '../pick.ts'
import type { RequestSpec } from '../requests/request.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A time with a zone (RFC 3339, or as PostgreSQL prints it). Others can be read in several ways. */
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/

/**
 * Compares the expiry of a new API token with its creation, on the clock of the target. Finds a lifetime other than requested:
 * days may count to their end, so up to one more is right.
 */
export function findTokenExpiryProblem(
  { method, path, body }: Pick<RequestSpec, 'method' | 'path' | 'body'>,
  reply: { status: number; json: unknown },
): string | undefined {
  const days = pick(body, 'expires_in_days')
  if (method !== 'POST' || path !== '/api-tokens' || reply.status < 200 || reply.status > 299)
    return undefined
  // Bounds are open, and a target may clamp to them.
  if (days !== 1) return undefined
  const [created, expires] = ['created_at', 'expires_at'].map((name) =>
    parseTime(pickText(reply.json, `data.${name}`)),
  )
  if (created === undefined || expires === undefined) return undefined
  const livesDays = (expires - created) / DAY_MS
  if (livesDays > 1 - TOLERANCE && livesDays < 2 + TOLERANCE) return undefined
  return `expires after ${livesDays.toFixed(2)} days, requested 1`
}

const TOLERANCE = 0.1

function parseTime(text: string | undefined): number | undefined {
  const [, day, time, hours = '+00', minutes = '00'] = TIME.exec(text ?? '') ?? []
  const atMs = Date.parse(`${day}T${time}${hours}:${minutes}`)
  return Number.isNaN(atMs) ? undefined : atMs
}

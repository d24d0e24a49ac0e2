import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Activity } from '../../activity-journal.ts'
import type { Clock } from '../../clock.ts'

/**
 * What log and journal tell of a request: ref, method, route, status, error code. The route is the pattern, never the path
 * or the query that came: a client that puts a secret there by mistake does not find it in the log.
 */
export function requestActivity(
  { id, method, routeOptions, failure }: FastifyRequest,
  reply: FastifyReply,
): Activity {
  const route = routeOptions.url ?? null
  const activity = { kind: 'request', ref: id, method, route, status: reply.statusCode } as const
  if (!failure) return activity
  const { code, source } = failure
  return source === null ? { ...activity, code } : { ...activity, code, source }
}

/** One JSON line, with the time. */
export function requestLogLine(activity: Activity, clock: Clock): string {
  const { kind: _request, ...told } = activity
  return JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), ...told })
}

/**
 * Checks every reply that starts or refreshes a session, whichever probe gets it: a cookie or a field that is wrong only the second time,
 * or only once the access session has expired, is seen.
 */
import type { Choices } from '../../../contract/profile.ts'
import { pick } from '../pick.ts'
import type { Reply } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'

type Problem = { rule: string; problem: string }

const HTTP_ONLY: Readonly<Record<string, string>> = {
  '/auth/verify': 'auth.cookies.http-only',
  '/auth/refresh': 'auth.refresh.http-only',
}

/** What is wrong with a reply to verify or refresh, by rule. A reply that sets none of the two cookies is for their probes to judge. */
export function findSessionProblems(
  { method, path, credential }: Pick<RequestSpec, 'method' | 'path' | 'credential'>,
  reply: Pick<Reply, 'status' | 'json' | 'cookies'>,
  { cookies, verify }: Pick<Choices, 'cookies' | 'verify'>,
): Problem[] {
  const rule = HTTP_ONLY[path]
  if (method !== 'POST' || rule === undefined || reply.status < 200 || reply.status > 299) return []
  const names = [cookies.access, cookies.refresh]
  const set = reply.cookies.filter(({ name, value }) => names.includes(name) && value !== '')
  const problems = set
    .filter(({ httpOnly }) => !httpOnly)
    .map(({ name }) => ({ rule, problem: `${name} is readable by scripts` }))
  if (path === '/auth/verify' && set.length > 0)
    for (const [name, at] of Object.entries(verify))
      if (at !== null && (pick(reply.json, at) ?? null) === null)
        problems.push({ rule: 'auth.verify.body', problem: `${name} is missing` })
  const isKept = set.some(({ name, value }) => name === cookies.refresh && isSent(credential, name, value))
  if (path === '/auth/refresh' && isKept)
    problems.push({ rule: 'auth.refresh.rotates', problem: 'the refresh cookie is the one that was sent' })
  return problems
}

function isSent(credential: RequestSpec['credential'], name: string, value: string): boolean {
  if (credential === undefined || !('cookie' in credential)) return false
  return credential.cookie.split('; ').includes(`${name}=${value}`)
}

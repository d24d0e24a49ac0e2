import type { Choices } from '../../../contract/profile.ts'
import { watchSocket } from '../feed/feed-watch.ts'
import { socketOnlooker } from '../feed/socket-onlooker.ts'
import { pick } from '../pick.ts'
import { onlooker } from '../requests/onlooker.ts'
import type { Reply } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import { redactor } from '../secrets/redact.ts'
import type { Judge } from '../verdict/judge.ts'
import { createRecordWatch } from './record-watch.ts'

/**
 * Checks every reply that starts or refreshes a session, whichever probe gets it: a cookie or a field that is wrong only the second time,
 * or only once the access session has expired, is seen.
 */
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

/** The watch of this VU. It sees what comes once it is begun. */
const recordWatch = createRecordWatch()

/** From here on it looks at every reply, after whoever looks on already, and at all that comes through sockets. */
export function watchRecords(): void {
  const { look } = onlooker
  onlooker.look = (target, spec, reply) => {
    look?.(target, spec, reply)
    recordWatch.look(spec, reply, target.profile.choices)
    for (const { rule, problem } of findSessionProblems(spec, reply, target.profile.choices))
      recordWatch.note(rule, `${spec.method} ${spec.path}: ${problem}`, () => reply.evidence())
  }
  onlooker.neverParsed = recordWatch.neverParsed
  socketOnlooker.opened = (target) => {
    const socket = watchSocket(target.profile.choices.events)
    return {
      sent: socket.sent,
      came(message) {
        for (const { rule, problem } of socket.came(message)) {
          const evidence = () => redactor.redactBody(message.text, EVIDENCE_LENGTH)
          recordWatch.note(rule, `${message.type}: ${problem}`, evidence)
        }
      },
    }
  }
}

const EVIDENCE_LENGTH = 400

const SHOWN_MAX = 5

/** What judges that bodies break their rules: any probe may come upon one. */
export function wrongRecordsSeen() {
  return [...recordWatch.takeFound()].map(([rule, found]) => {
    const problems = [...new Set(found.map(({ problem }) => problem))].slice(0, SHOWN_MAX).join('; ')
    const evidence = found.slice(0, SHOWN_MAX).map((one) => one.evidence)
    return {
      rules: [rule],
      world: 'main' as const,
      run: async (_target: unknown, judge: Judge) => judge.fail(rule, problems, evidence),
    }
  })
}

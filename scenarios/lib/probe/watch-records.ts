import { watchSocket } from '../feed/feed-watch.ts'
import { socketOnlooker } from '../feed/socket-onlooker.ts'
import { onlooker } from '../requests/onlooker.ts'
import { redactor } from '../secrets/redact.ts'
import type { Judge } from '../verdict/judge.ts'
import { createRecordWatch } from './record-watch.ts'
import { findSessionProblems } from './session-watch.ts'

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

import { onlooker } from '../requests/onlooker.ts'
import type { Judge } from './judge.ts'
import { createRecordWatch } from './record-watch.ts'

/** The watch of this VU. It sees what comes once it is begun. */
const recordWatch = createRecordWatch()

/** From here on it looks at every reply, after whoever looks on already. */
export function watchRecords(): void {
  const { look } = onlooker
  onlooker.look = (target, spec, reply) => {
    look?.(target, spec, reply)
    recordWatch.look(spec, reply, target.profile.choices)
  }
  onlooker.neverParsed = recordWatch.neverParsed
}

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

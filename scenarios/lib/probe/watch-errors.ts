import { onlooker } from '../requests/onlooker.ts'
import type { Judge } from '../verdict/judge.ts'
import { createErrorWatch } from './error-watch.ts'

/** The watch of this VU. It sees what comes once it is begun. */
export const errorWatch = createErrorWatch()

const RULE = 'wire.error.body-shape'

/** From here on it looks at every refusal, after whoever looks on already. */
export function watchErrors(): void {
  const { look } = onlooker
  onlooker.look = (target, spec, reply) => {
    look?.(target, spec, reply)
    errorWatch.look(spec, reply)
  }
}

/** What judges that bodies of errors were none: any probe may come upon one. Undefined if nothing was found. */
export function errorBodiesSeen() {
  const found = errorWatch.takeFound()
  if (found.length === 0) return undefined
  const problems = [...new Set(found.map(({ problem }) => problem))].join('; ')
  const evidence = found.slice(0, 3).map((one) => one.evidence)
  return {
    rules: [RULE],
    world: 'main' as const,
    run: async (_target: unknown, judge: Judge) => judge.fail(RULE, problems, evidence),
  }
}

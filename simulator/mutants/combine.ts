import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { type Deviation, deviateAuth } from './deviation.ts'

/** The parts of a deviation of which a stub can have one. */
const SINGLE = ['socket', 'rateLimit', 'isSigned'] as const satisfies readonly (keyof Deviation)[]

/**
 * One deviation with the effects of all, applied in their order. Throws a BreakwaterError (usage) if two of them replace
 * the same part of the stub.
 */
export function combineDeviations(deviations: readonly Deviation[]): Deviation {
  const [first = {}, ...others] = deviations
  return others.reduce(combineTwo, first)
}

function combineTwo(one: Deviation, other: Deviation): Deviation {
  const shared = SINGLE.find((part) => one[part] && other[part])
  if (shared !== undefined)
    throw new BreakwaterError(`two of the mutants change the same part of the stub (${shared})`, {
      hint: 'Start a stub for each of them.',
    })
  return {
    ...one,
    ...other,
    ...((one.rest || other.rest) && { rest: [...(one.rest ?? []), ...(other.rest ?? [])] }),
    ...((one.limits || other.limits) && { limits: { ...one.limits, ...other.limits } }),
    ...(one.auth && {
      auth: (auth, tools) => deviateAuth(deviateAuth(auth, one, tools), other, tools),
    }),
  }
}

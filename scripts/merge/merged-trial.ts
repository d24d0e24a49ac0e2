import type { GeneratorHealth, TargetHealth, TrialFacts } from '../../contract/capacity.ts'

/**
 * The trial that several generators made together, each its part: judged while all of them were. Generators on machines of their
 * own: cores add up, and of what runs out on one machine, the one that came closest to it is told.
 */
export function mergedTrial(parts: readonly [TrialFacts, ...TrialFacts[]]): TrialFacts {
  const [first] = parts
  const sumOf = (of: (part: TrialFacts) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  const rateFroms = parts.map(({ rateFrom }) => rateFrom)
  return {
    ...(parts.find(({ ended }) => ended !== 'whole') ?? first),
    rate: sumOf(({ rate }) => rate),
    rateFrom: added(rateFroms),
    ...judgedTogether(parts),
    instances: sumOf(({ instances }) => instances),
    vusMax: sumOf(({ vusMax }) => vusMax),
    generator: mergedGenerator(parts.map(({ generator }) => generator)),
    target: mergedTarget(parts.map(({ target }) => target).filter((target) => target !== null)),
  }
}

function judgedTogether(parts: readonly TrialFacts[]): Pick<TrialFacts, 'judgedFrom' | 'judgedTo'> {
  const from = greatest(parts.map(({ judgedFrom }) => judgedFrom))
  const to = least(parts.map(({ judgedTo }) => judgedTo))
  return from === null || to === null || from >= to
    ? { judgedFrom: null, judgedTo: null }
    : { judgedFrom: from, judgedTo: to }
}

/** What several generators did, each on a machine of its own, or in a pod with limits of its own. */
export function mergedGenerator(all: readonly GeneratorHealth[]): GeneratorHealth {
  const files = closest(all.map((each) => [each.openFilesMax, each.openFilesLimit] as const))
  const ports = closest(all.map((each) => [each.portsUsedMax, each.portsMax] as const))
  return {
    cpuCores: added(all.map(({ cpuCores }) => cpuCores)),
    cpuCoresMax: all.reduce((sum, { cpuCoresMax }) => sum + cpuCoresMax, 0),
    machineBusy: greatest(all.map(({ machineBusy }) => machineBusy)),
    runQueueCores: added(all.map(({ runQueueCores }) => runQueueCores)),
    throttledShare: greatest(all.map(({ throttledShare }) => throttledShare)),
    openFilesMax: files[0],
    openFilesLimit: files[1],
    portsUsedMax: ports[0],
    portsMax: ports[1],
    residentMbMax: added(all.map(({ residentMbMax }) => residentMbMax)),
  }
}

/** All of them saw the same target. */
function mergedTarget(all: readonly TargetHealth[]): TargetHealth | null {
  if (all.length === 0) return null
  return {
    cpuCores: greatest(all.map(({ cpuCores }) => cpuCores)),
    eventLoopLagMs: greatest(all.map(({ eventLoopLagMs }) => eventLoopLagMs)),
    queueMax: greatest(all.map(({ queueMax }) => queueMax)),
  }
}

type Used = readonly [used: number | null, limit: number | null]

function closest(all: readonly Used[]): Used {
  const share = ([used, limit]: Used) => (used === null || !limit ? -1 : used / limit)
  return all.toSorted((a, b) => share(b) - share(a))[0] ?? [null, null]
}

/** Of one that is not known the sum is not known either. */
function added(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0)
}

function greatest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.min(...known)
}

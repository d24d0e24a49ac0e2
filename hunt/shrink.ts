/**
 * Reduces a schedule and its world to what a violation needs: first whole faults, then single decisions, then the strength
 * of the faults, then the world. Every step is kept only if the same violation appears again.
 */
import { type Fault, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { type HuntWorld, huntWorldSchema, type Schedule } from './schedule.ts'

export type Setup = { schedule: Schedule; world: HuntWorld }

/** Returns the smallest setup that it finds within `triesMax` calls of `reproduces`; the given one must reproduce. */
export async function shrinkSetup(
  given: Setup,
  options: {
    reproduces(setup: Setup): Promise<boolean>
    triesMax: number
    /** False in real time: a run then takes as long as the machine needs. */
    shrinksTime: boolean
  },
): Promise<Setup> {
  const { reproduces, triesMax } = options
  const rejected = new Set<string>()
  let best = given
  let tries = 0

  const attempt = async (setup: Setup): Promise<boolean> => {
    const key = JSON.stringify(setup)
    if (tries >= triesMax || rejected.has(key) || key === JSON.stringify(best)) return false
    tries++
    if (await reproduces(setup)) {
      best = setup
      return true
    }
    rejected.add(key)
    return false
  }
  const trySchedule = (schedule: Schedule) => attempt({ ...best, schedule })
  const tryFault = (place: number, fault: Fault) => trySchedule(best.schedule.with(place, fault))

  const dropFaults = () => minimize(best.schedule, trySchedule)
  const dropDecisions = async () => {
    for (const place of best.schedule.keys()) {
      const fault = best.schedule[place]
      if (!fault?.when.on) continue
      await minimize(fault.when.on, (on) =>
        tryFault(place, { ...fault, when: { ...fault.when, on: [...on] } }),
      )
    }
  }
  const weaken = async () => {
    for (const place of best.schedule.keys()) {
      // Each success changes the fault, so the next weaker forms are those of the new one.
      for (let isWeaker = true; isWeaker; ) {
        isWeaker = false
        const fault = best.schedule[place]
        for (const weaker of fault ? listWeaker(fault) : []) {
          isWeaker = await tryFault(place, weaker)
          if (isWeaker) break
        }
      }
    }
  }
  const simplifyWorld = async () => {
    for (const [name, usual] of Object.entries(USUAL_WORLD)) {
      await attempt({ ...best, world: { ...best.world, [name]: usual } })
    }
    while (options.shrinksTime && best.world.durationMs >= 2 * DURATION_MS_MIN) {
      const durationMs = Math.floor(best.world.durationMs / 2)
      if (!(await attempt({ ...best, world: { ...best.world, durationMs } }))) break
    }
  }

  if (given.schedule.length > 0 && (await trySchedule([]))) {
    await simplifyWorld()
    return best
  }
  await dropFaults()
  await dropDecisions()
  await weaken()
  await simplifyWorld()
  // A weaker fault may have made another one unnecessary.
  await dropFaults()
  return best
}

const { durationMs: _duration, ...USUAL_WORLD } = huntWorldSchema.parse({})
const DURATION_MS_MIN = 1000

/**
 * Delta debugging: removes ever smaller parts while `keeps` accepts what is left. In the end,
 * no single item can be removed.
 */
export async function minimize<Item>(
  items: readonly Item[],
  keeps: (left: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items
  let size = Math.ceil(kept.length / 2)
  while (size >= 1 && kept.length > 0) {
    let isSmaller = false
    for (let from = 0; from < kept.length; ) {
      const left = kept.toSpliced(from, size)
      if (await keeps(left)) {
        kept = left
        isSmaller = true
      } else from += size
    }
    if (size === 1 && !isSmaller) return kept
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return kept
}

/** Faults that are a little weaker than this one: without an option, shorter, fewer, or later. */
function listWeaker(fault: Fault): Fault[] {
  const { fault: name, when, ...given } = fault
  // as: options of a fault are JSON
  const options = given as Record<string, unknown>
  const fewer = Object.keys(options).flatMap((key) => {
    const { [key]: _dropped, ...rest } = options
    // Without its place, a decision would be another one.
    return key === 'where' ? [] : [{ ...rest, fault: name, when }]
  })
  const shorter = halveNumbers(options).map((less) => ({ ...less, fault: name, when }))
  const simplerWhen = [
    { ...when, afterMs: 0 },
    { ...when, afterBlocks: 0 },
    { ...when, forMs: when.forMs === undefined ? undefined : Math.floor(when.forMs / 2) },
  ].map((other) => ({ ...options, fault: name, when: other }))
  const before = JSON.stringify(fault)
  return [...fewer, ...shorter, ...simplerWhen].flatMap((weaker) => {
    const { data } = faultPlanSchema.safeParse({ description: 'weaker', faults: [weaker] })
    const [parsed] = data?.faults ?? []
    if (!parsed || JSON.stringify(parsed) === before) return []
    // A default may be stronger than the value that it replaces, and the search would go in circles.
    return measure(parsed) <= measure(fault) ? [parsed] : []
  })
}

/** Sum of all numbers, and length of everything else. */
function measure(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part) => sum + measure(part), Object.keys(value).length)
}

/** The same options with one number halved, at any depth. */
function halveNumbers(options: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(options).flatMap(([key, value]) => {
    if (typeof value === 'number' && value !== 0) return [{ ...options, [key]: Math.trunc(value / 2) }]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    return halveNumbers(value as Record<string, unknown>).map((less) => ({ ...options, [key]: less })) // as: JSON
  })
}

import type { Run } from '../../contract/run.ts'
import { type LoadOptions, type LoadPlan, planLoad } from './plan-load.ts'
import { mustHaveRoom } from './size-vus.ts'

export type HoldOptions = LoadOptions & { rate: number; duration: number; warmUp: number }

/** One rate for the whole run. */
export type HeldLoadPlan = LoadPlan<'load'> & { heldLoad: NonNullable<Run['load']> }

/** For k6 to start, and for clients that wait at the end. */
const BESIDE_SECONDS = 60

/** Throws a BreakwaterError as planLoad does. */
export async function planHeldLoad(options: HoldOptions): Promise<HeldLoadPlan> {
  const { rate, duration, warmUp } = options
  const plan = await planLoad('load', options)
  mustHaveRoom({ mix: plan.mix, rate, vusLimit: plan.vusMax })
  return {
    ...plan,
    durationSecondsMax: warmUp + duration + BESIDE_SECONDS,
    heldLoad: { rate, warmUpSeconds: warmUp, seconds: duration },
  }
}

import { startStub } from '../../simulator/stub.ts'
import type { Io } from '../io.ts'
import { oneTarget, openWorlds, targetOf, type Worlds } from '../smoke/worlds.ts'
import type { ReproPlan } from './plan-repro.ts'

/** The target that the user named, one stub for the scenario of a case, or a world each where probes are played. */
export async function openCaseWorlds(plan: ReproPlan, io: Io): Promise<Worlds> {
  if (plan.target !== null || plan.played.scenario === undefined) return openWorlds(plan, io)
  const { world, seed, choices, mutant } = plan
  const { pace, rateLimit } = plan.played.stub
  const stub = await startStub({
    world,
    seed,
    choices,
    mutant: mutant?.name ?? null,
    pace,
    examples: 'none',
    ...(rateLimit === undefined ? {} : { rateLimit }),
  })
  return { ...oneTarget(targetOf(stub)), close: stub.close }
}

import type { Target } from '../../contract/scenario-config.ts'
import { startStub } from '../../simulator/stub.ts'
import type { SmokePlan } from '../smoke/plan.ts'
import { oneTarget, targetOf, type Worlds } from '../smoke/worlds.ts'

/** The target that the user named, or one stub in real time whose clock the scenario may move. */
export async function openOwnWorld(
  plan: Pick<SmokePlan, 'world' | 'seed' | 'choices' | 'mutant'> & { target: Target | null },
): Promise<Worlds> {
  if (plan.target) return oneTarget(plan.target)
  const { world, seed, choices, mutant } = plan
  const stub = await startStub({ world, seed, choices, mutant: mutant?.name ?? null, pace: 'real' })
  return { ...oneTarget(targetOf(stub)), close: stub.close }
}

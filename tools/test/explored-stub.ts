import { onTestFinished } from 'vitest'
import type { Stage } from '../../explore/run-sequence.ts'
import type { NextStage } from '../../explore/search.ts'
import { WALLETS_MAX } from '../../explore/sequence.ts'
import { createWitness } from '../../explore/witness.ts'
import { openStubTarget, type StubChoice } from '../../scripts/explore/open-target.ts'
import { withStages } from '../../scripts/explore/stages.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import type { Stub } from '../../simulator/stub.ts'

const CHOICE: StubChoice = { world: 'tiny', seed: 7, choices: 'default', mutant: null }
const NEVER = new AbortController().signal

/** A stage on a stub, which is closed with the test. `faults` start once the witness is ready. */
export async function exploredStub({
  faults = [],
  ...choice
}: Partial<StubChoice> & { faults?: readonly object[] } = {}): Promise<Stage & { stub: Stub }> {
  const { stub, target, witness, wallets, close } = await openStubTarget({ ...CHOICE, ...choice }, NEVER)
  onTestFinished(close)
  const ready = await createWitness(target, witness)
  onTestFinished(ready.close)
  if (faults.length > 0)
    stub.inProcess.faults.apply(faultPlanSchema.parse({ description: 'of a test', faults }))
  return { stub, target, witness: ready, wallets: wallets.slice(0, WALLETS_MAX) }
}

/** Calls `use` with stages that never use a wallet twice. */
export function withExploredStubs<Result>(
  choice: Partial<StubChoice>,
  use: (nextStage: NextStage) => Promise<Result>,
): Promise<Result> {
  const open = () => openStubTarget({ ...CHOICE, ...choice }, NEVER)
  return withStages({ open, isFresh: true }, ({ nextStage }) => use(nextStage))
}

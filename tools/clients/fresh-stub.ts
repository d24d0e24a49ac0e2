import { afterAll, onTestFinished } from 'vitest'
import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'

const kept = new Map<ChoiceSetName, { stub: Stub; snapshot: string }>()

afterAll(async () => {
  for (const { stub } of kept.values()) await stub.close()
})

/**
 * A stub whose clock stands still, and where blocks come when they are mined. One serves all tests of a file, put back
 * each time to how it was; one with a limit or nodes of its own lives as long as its test.
 */
export async function freshStub(
  choices: ChoiceSetName,
  own?: Pick<StubOptions, 'rateLimit' | 'deployment'>,
): Promise<Stub> {
  if (own !== undefined) {
    const stub = await start({ choices, ...own })
    onTestFinished(() => stub.close())
    return stub
  }
  const known = kept.get(choices)
  if (known === undefined) {
    const stub = await start({ choices })
    kept.set(choices, { stub, snapshot: stub.world.snapshot() })
    return stub
  }
  known.stub.world.revert(known.snapshot)
  return known.stub
}

async function start(options: Partial<StubOptions>): Promise<Stub> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual', ...options })
  stub.world.setMining({ mode: 'paused' })
  return stub
}

import { pause } from '../time/pause.ts'
import { createConfirmWithin, type Persistence } from './persistence.ts'

/** Per VU. If everything fails, only some errors are confirmed and the others stay open. */
const BUDGET_MS = 90_000

/** Shared by all probes of this VU. */
export const confirm = createConfirmWithin(BUDGET_MS, { nowMs: Date.now, pause })

type RowCheck = 'found' | 'missing' | 'too many'

/**
 * Confirms that a row which one read listed is missing from another. The reads may hit different replicas,
 * and rows may move between pages, so it counts as missing only if it stays missing while the list still has
 * it.
 */
export async function confirmMissing(options: {
  check: () => Promise<RowCheck>
  /** Returns whether the read that listed it still does. */
  isListed: () => Promise<boolean>
}): Promise<{ state: RowCheck | 'unclear'; explanation: string }> {
  const { outcome, last, explanation }: Persistence<RowCheck> = await confirm<RowCheck>({
    first: await options.check(),
    describeError: (state) => (state === 'missing' ? 'missing' : undefined),
    again: options.check,
    witness: async () => {
      const served = await options.isListed()
      return { served, explanation: served ? 'listed' : 'no longer listed' }
    },
  })
  return { state: outcome === 'open' ? 'unclear' : last, explanation }
}

import { pause } from '../time/pause.ts'
import { createConfirmWithin, type Persistence } from './persistence.ts'

/** Of a VU: of a target that is strange everywhere, some troubles are shown to persist, and the others stay open. */
const BUDGET_MS = 90_000

/** The confirmations of this VU. */
export const confirm = createConfirmWithin(BUDGET_MS, { nowMs: Date.now, pause })

type Looked = 'found' | 'missing' | 'too many'

/**
 * Confirms that what one read listed is missing from another. Two reads may come from replicas of which one is behind, and
 * rows may change places while they are paged: only what stays missing, while the list still has it, is missing.
 */
export async function confirmMissing(options: {
  look: () => Promise<Looked>
  /** Whether the read that listed it still does. */
  isListed: () => Promise<boolean>
}): Promise<{ looked: Looked | 'unclear'; told: string }> {
  const { outcome, last, told }: Persistence<Looked> = await confirm<Looked>({
    first: await options.look(),
    errorOf: (looked) => (looked === 'missing' ? 'missing' : undefined),
    again: options.look,
    witness: async () => {
      const served = await options.isListed()
      return { served, told: served ? 'listed' : 'no longer listed' }
    },
  })
  return { looked: outcome === 'open' ? 'unclear' : last, told }
}

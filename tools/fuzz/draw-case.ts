import { drawFrom, seedOfCase } from './draw.ts'
import type { CaseKind, FuzzCase } from './fuzz-case.ts'

/** Of all cases, those run as a user runs them, which takes ten times as long. */
const SHARE_IN_PROCESS = 0.03
const ENDS_WITHIN_MS = 30_000
/** A command waits for a server a few times. */
const SERVED_WITHIN_MS = 60_000

/** The case of this number: the same for the same seed and the same kinds, whichever others are run. */
export function drawCase(
  kinds: readonly CaseKind[],
  { seed, number }: { seed: number; number: number },
): FuzzCase {
  return drawFrom(seedOfCase(seed, number), (draw) => {
    const { name, draw: drawKind } = draw.weighted(kinds.map((kind) => [kind.weight, kind] as const))
    const inProcess = draw.chance(SHARE_IN_PROCESS)
    const drawn = drawKind(draw)
    return {
      ...{ server: null, writes: [], isServer: false, inProcess, needsK6: false },
      endsWithinMs: drawn.server ? SERVED_WITHIN_MS : ENDS_WITHIN_MS,
      ...drawn,
      kind: name,
    }
  })
}

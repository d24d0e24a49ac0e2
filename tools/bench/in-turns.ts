/**
 * Looks at each of the names once a round, the next round in the opposite order, so that what changes on the machine meanwhile falls
 * on all alike. The first round only warms up, and is left out.
 */
export async function inTurns<Name extends string, Seen>(
  names: readonly Name[],
  { rounds, look }: { rounds: number; look: (name: Name) => Promise<Seen> },
): Promise<Record<Name, Seen>[]> {
  const all: Record<Name, Seen>[] = []
  for (let round = 0; round <= rounds; round++) {
    const seen: Partial<Record<Name, Seen>> = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) seen[name] = await look(name)
    if (round > 0) all.push(seen as Record<Name, Seen>) // as: the loop has been over all that is asked for
  }
  return all
}

import type { TimelineLine } from '../../contract/timeline.ts'

/** A swim lane: one actor, or several who went through the same. */
export type Lane = { actors: readonly string[]; lines: readonly TimelineLine[] }

/** More lanes than these nobody follows with the eye. */
const LANES_MAX = 60

/**
 * A lane for each actor, in the order in which they appear. Where there are too many, those whose stories differ in nothing
 * but their numbers share one; all their lines are in it.
 */
export function foldActors(lines: readonly TimelineLine[]): Lane[] {
  const byActor = groupBy(lines, ({ actor }) => actor)
  if (byActor.size <= LANES_MAX) return [...byActor].map(([actor, own]) => ({ actors: [actor], lines: own }))
  return [...groupBy([...byActor], ([, own]) => shapeOf(own)).values()].map((alike) => ({
    actors: alike.map(([actor]) => actor),
    lines: alike.flatMap(([, own]) => own).sort((a, b) => a.number - b.number),
  }))
}

/** What an actor did and saw, apart from its numbers. */
function shapeOf(lines: readonly TimelineLine[]): string {
  return lines.map(({ kind, text, rule = '' }) => `${kind} ${text.replace(NUMBER, '#')} ${rule}`).join('\n')
}

export const NUMBER = /\d+(\.\d+)?/g

/** The items by key, groups in the order of their first item. */
export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

import type { TimelineEntry, TimelineLine } from '../../contract/timeline.ts'

/**
 * The entries as timeline.ndjson has them, numbered. Of a race each actor's own entries keep their order, and the actors
 * stand one after another where the race began, named by how they ended: who wins is nobody's to say, so a race that ends
 * alike is told alike. Nothing is left out.
 */
export function orderRaces(entries: readonly TimelineEntry[]): TimelineLine[] {
  const told = new Set<number>()
  const ordered = entries.flatMap((entry) => {
    if (entry.race === undefined) return [entry]
    if (told.has(entry.race)) return []
    told.add(entry.race)
    return raceOf(entries.filter(({ race }) => race === entry.race))
  })
  return ordered.map(({ timeline: _version, place: _place, ...rest }, index) => ({
    number: index + 1,
    ...rest,
  }))
}

function raceOf(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const contestants = [...new Set(entries.map(({ actor }) => actor))].map((name) =>
    entries.filter(({ actor }) => actor === name),
  )
  const of = (place: TimelineEntry['place']) =>
    contestants
      .filter((own) => own.findLast((entry) => entry.place !== undefined)?.place === place)
      .sort((a, b) => (storyOf(a) < storyOf(b) ? -1 : 1))
  return [
    ...of('winner').flatMap((own, index, all) =>
      named(own, all.length === 1 ? 'winner' : `winner-${index + 1}`),
    ),
    ...of('loser').flatMap((own, index) => named(own, `loser-${index + 1}`)),
    // Who never came to an end keeps its name.
    ...of(undefined).flat(),
  ]
}

function named(entries: readonly TimelineEntry[], actor: string): TimelineEntry[] {
  return entries.map((entry) => ({ ...entry, actor }))
}

/** What it did and saw, apart from when. */
function storyOf(entries: readonly TimelineEntry[]): string {
  return entries.map(({ kind, text }) => `${kind} ${text}`).join('\n')
}

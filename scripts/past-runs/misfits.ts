import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import { objectivesText } from '../../reports/objective-text.ts'

type Trait = {
  /** What both must have alike, for people. */
  what: string
  of: (run: Run) => string
}

/**
 * What two runs must have alike for the one to be the other's baseline. A target is the same by its name and host: the stub
 * and services under test get other ports each time.
 */
const TRAITS: readonly Trait[] = [
  { what: 'job', of: ({ job }) => job },
  { what: 'target', of: ({ target }) => `${target.name} at ${hostOf(target.baseUrl)}` },
  { what: 'world', of: ({ world }) => world ?? 'none' },
  { what: 'choices', of: ({ choices }) => choices ?? 'none' },
  { what: 'mutant', of: ({ mutant }) => mutant ?? 'none' },
  { what: 'mix', of: ({ mix }) => mix ?? 'none' },
  {
    what: 'load',
    of: ({ load }) => (load === null ? 'none of one rate' : `${load.rate} iterations a second`),
  },
  { what: 'stages', of: ({ search }) => search?.stages ?? 'none' },
  { what: 'set of objectives', of: objectivesOfSearch },
  { what: 'machine', of: ({ machine }) => machine ?? 'unknown' },
  { what: 'k6', of: ({ versions }) => versions.k6 },
  { what: 'number of k6 processes', of: ({ instances }) => String(instances) },
]

export type Misfit = { what: string; first: string; second: string }

/** How the two differ, as far as that keeps them from being compared; empty where they may be. */
export function misfits(first: Run, second: Run): Misfit[] {
  return TRAITS.map(({ what, of }) => ({ what, first: of(first), second: of(second) })).filter(
    (trait) => trait.first !== trait.second,
  )
}

/** A search finds another rate by others; of any other run they decide no figure. */
function objectivesOfSearch({ search, slo }: Run): string {
  const { success, data } = sloSchema.safeParse(slo)
  return search !== null && success ? objectivesText(data.objectives) : 'none'
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url
}

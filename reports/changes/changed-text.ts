import type { Changed } from '../../contract/changed.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'

/** What changed, in one sentence: `Since <folder> (pass): 1 rule fails anew, 2 objectives flipped, another seed.` */
export function changedSentence(changed: Changed): string {
  const { since, reason } = changed
  if (since === null) return `Nothing to hold it beside: ${reason ?? 'there is no earlier run'}.`
  const parts = [
    ...changedRuleLists(changed).map(({ name, ids }) => `${countText(ids.length, 'rule')} ${PHRASES[name]}`),
    ...(changed.objectives.length === 0
      ? []
      : [`${countText(changed.objectives.length, 'objective')} judged otherwise`]),
    ...(changed.facts.length === 0
      ? []
      : [`not the same: ${changed.facts.map(({ name }) => name).join(', ')}`]),
  ]
  const said = parts.length === 0 ? 'no verdict, version or option changed' : parts.join('; ')
  return `Since ${since.folder} (${since.verdict}): ${said}.`
}

const NAMES = [
  'Fail anew',
  'Hold again',
  'Left open',
  'Judged for the first time',
  'Not judged any more',
] as const

type ListName = (typeof NAMES)[number]

const PHRASES: Readonly<Record<ListName, string>> = {
  'Fail anew': 'failing anew',
  'Hold again': 'holding again',
  'Left open': 'left open that had a verdict',
  'Judged for the first time': 'judged for the first time',
  'Not judged any more': 'not judged any more',
}

/** Rules whose standing is another, the worst first; lists without any are left out. */
export function changedRuleLists({
  rules,
}: Pick<Changed, 'rules'>): { name: ListName; ids: readonly string[] }[] {
  const { failing, held, open, added, removed } = rules
  const lists = [failing, held, open, added, removed]
  return NAMES.map((name, index) => ({ name, ids: lists[index] ?? [] })).filter(({ ids }) => ids.length > 0)
}

/** A group of routes, for people. */
export function groupText(routeGroup: string): string {
  return routeGroup === ALL_ROUTES ? 'all requests' : routeGroup
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

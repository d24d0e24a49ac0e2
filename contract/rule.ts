/** A testable rule of the specification. Ids are stable: `group.subject.detail`, kebab case. */
export type Rule = {
  id: string
  group: string
  /** The specification's section, in short. */
  section: string
  /** What the specification says, in our own words. */
  statement: string
  /** What a client sees where the rule holds. */
  expected: string
  kind: 'server' | 'client'
}

type Line = readonly [id: string, section: string, statement: string, expected: string]

/** Rules that bind the target, a line each; the group is the id's first word. */
export function serverRules(lines: readonly Line[]): readonly Rule[] {
  return lines.map(([id, section, statement, expected]) => ({
    id,
    group: id.slice(0, id.indexOf('.')),
    section,
    statement,
    expected,
    kind: 'server',
  }))
}

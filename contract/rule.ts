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
  /** What the probe does, for people. */
  how: string
  takes: Takes
}

/**
 * What a verdict takes where the clock cannot be moved. `15 minutes` is waited for with --include-slow alone; `control` means that
 * no waiting will do: only a target with a control API can be judged.
 */
export type Takes = 'moments' | 'a minute' | '15 minutes' | 'control'

type Line = readonly [
  id: string,
  section: string,
  statement: string,
  expected: string,
  how: string,
  takes?: Takes,
]

/** Rules that bind the target, a line each; the group is the id's first word. */
export function serverRules(lines: readonly Line[]): readonly Rule[] {
  return lines.map(([id, section, statement, expected, how, takes = 'moments']) => ({
    id,
    group: id.slice(0, id.indexOf('.')),
    section,
    statement,
    expected,
    kind: 'server',
    how,
    takes,
  }))
}

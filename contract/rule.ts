/** A testable rule of the specification. Ids are stable: `group.subject.detail`, in kebab case. */
export type Rule = {
  id: string
  group: string
  /** The specification's section, in short. */
  section: string
  /** The sentence of the specification, in our own words. */
  statement: string
  /** The behavior that a client observes if the target conforms. */
  expected: string
  kind: 'server' | 'client'
  /** Describes the probe to readers. */
  how: string
  takes: Takes
}

/**
 * The time that a verdict takes if the clock cannot be moved. `15 minutes` needs --include-slow; `control` means that waiting
 * does not help: only a target with a control API can be judged.
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

/** Builds the rules that bind the target. The group is the first word of the id. */
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

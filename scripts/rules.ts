import { BreakwaterError } from '../contract/breakwater-error.ts'
import { matchesGlob } from '../contract/match-glob.ts'
import type { Rule } from '../contract/rule.ts'
import { RULES, ruleById } from '../contract/rules.ts'
import type { Io } from './io.ts'

/**
 * The ids of the rules that a glob selects: `*` stands for any text, commas part several globs. Throws a BreakwaterError
 * (usage) where a glob selects none.
 */
export function matchRules(
  globs: string,
  rules: readonly Pick<Rule, 'id' | 'group'>[],
  command = 'smoke',
): string[] {
  const patterns = globs.split(',').map((glob) => glob.trim())
  for (const glob of patterns) {
    if (!rules.some(({ id }) => matchesGlob(glob, id))) {
      const groups = [...new Set(rules.map(({ group }) => group))].join(', ')
      throw new BreakwaterError(`--rules ${JSON.stringify(glob)} selects no rule`, {
        hint: `\`breakwater ${command} --list-rules\` lists them; the groups are: ${groups}.`,
      })
    }
  }
  return rules.filter(({ id }) => patterns.some((glob) => matchesGlob(glob, id))).map(({ id }) => id)
}

/** Whether a run that judges these rules opens sockets: then the feed of its target is looked for first. */
export function needFeed(rules: readonly string[]): boolean {
  return rules.some((id) => ruleById(id)?.group === 'ws')
}

/** `smoke --list-rules`. */
export function listRules({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(RULES, null, 2))
  else for (const { id, statement } of RULES) io.stdout(`${id}  ${statement}`)
}

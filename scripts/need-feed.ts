import { ruleById } from '../contract/rules.ts'

/** Whether a run that judges these rules opens sockets: then the feed of its target is looked for first. */
export function needFeed(rules: readonly string[]): boolean {
  return rules.some((id) => ruleById(id)?.group === 'ws')
}

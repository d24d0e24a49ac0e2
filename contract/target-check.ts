/**
 * What a runner says that has looked at its target before the load (`checkTarget` of ScenarioConfig) and does not make it: k6 then ends
 * with the code, and its log has a line with the words and the reason.
 */
export const TARGET_CHECK = {
  exitCode: 108,
  says: 'the target does not serve the load: ',
} as const

/** What the log of a runner says against its target, as one line; undefined where it says nothing. */
export function targetProblemIn(log: string): string | undefined {
  const at = log.indexOf(TARGET_CHECK.says)
  if (at === -1) return undefined
  const from = at + TARGET_CHECK.says.length
  return /^.*/.exec(log.slice(from))?.[0]
}

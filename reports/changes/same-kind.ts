import type { Run } from '../../contract/run.ts'

/** Whether two runs asked the same of the same: only then does it say something that they differ. */
export function isSameKind(first: Run, second: Run): boolean {
  return TRAITS.every((trait) => trait(first) === trait(second))
}

const TRAITS: readonly ((run: Run) => string | null)[] = [
  ({ job }) => job,
  ({ target }) => target.name,
  ({ world }) => world,
  ({ choices }) => choices,
  ({ mix }) => mix,
  ({ repro }) => repro?.name ?? null,
  ({ search }) => search?.stages ?? null,
  ({ job, command }) => (job === 'run' ? scriptIn(command) : null),
]

/** Of a scenario of one's own: the file that was run. */
function scriptIn(command: string): string | null {
  return command.split(/[\s'"=]+/).find((word) => /\.[cm]?[jt]s$/.test(word)) ?? null
}

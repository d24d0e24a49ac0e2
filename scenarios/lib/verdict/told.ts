import { CannotProbe } from './cannot.ts'

/** A choice of the profile that a probe cannot do without. Throws CannotProbe where it is null. */
export function told<Choice>(choice: Choice | null, what: string): Choice {
  if (choice === null) throw new CannotProbe(`the profile does not tell ${what}`, 'choice')
  return choice
}

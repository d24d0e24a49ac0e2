import type { Target } from '../../../contract/scenario-config.ts'
import { CannotProbe } from './cannot.ts'

/** Throws CannotProbe where the profile does not let a run change what cannot be taken back. */
export function mustAllowMutations({ profile }: Target, what: string): void {
  if (!profile.allow.mutations)
    throw new CannotProbe(`${what}: the profile does not allow mutations`, 'mutations')
}

import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { isLoopback } from '../../contract/is-loopback.ts'
import type { Profile } from '../../contract/profile.ts'
import type { ScenarioConfig } from '../../contract/scenario-config.ts'

export type Refuses = ScenarioConfig['refuses']

const WHAT = [
  { kind: 'writes', name: 'mutations', text: 'to change anything' },
  { kind: 'load', name: 'load', text: 'a load' },
] as const

/**
 * What a target refuses, with the reason. One on this machine refuses nothing; any other is only read, unless its profile
 * allows more by name and the command line names its host. Throws a BreakwaterError (usage) where it names another.
 */
export function permissionFor(
  profile: Pick<Profile, 'baseUrl' | 'wsUrl' | 'allow'>,
  confirmed: string | undefined,
): Refuses {
  const { hostname } = new URL(
    [profile.baseUrl, profile.wsUrl].find((url) => !isLoopback(url)) ?? profile.baseUrl,
  )
  if (confirmed !== undefined && confirmed !== hostname) {
    throw new BreakwaterError(`--confirm ${confirmed}: the target is ${hostname}`, {
      hint: 'Name the host of the target that the profile describes.',
    })
  }
  const refuses: Refuses = { writes: null, load: null }
  if (isLoopback(profile.baseUrl) && isLoopback(profile.wsUrl)) return refuses
  for (const { kind, name, text } of WHAT) {
    if (!profile.allow[name])
      refuses[kind] = `${hostname}: the profile does not allow ${text} (allow.${name})`
    else if (confirmed === undefined)
      refuses[kind] = `${hostname}: the command line does not confirm ${text} (--confirm ${hostname})`
  }
  return refuses
}

/** For what may change things, and be a load: `what` it is is not known beforehand. */
export function mustAllowAll(what: string, confirmed: string | undefined): (profile: Profile) => void {
  return (profile) => {
    const { writes, load } = permissionFor(profile, confirmed)
    const reason = writes ?? load
    if (reason !== null) throw new BreakwaterError(`${what} may change things and be a load, and ${reason}`)
  }
}

import { isLoopback } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import type { ScenarioConfig } from '../../contract/scenario-config.ts'

export type Refuses = ScenarioConfig['refuses']

type Addresses = Pick<Profile, 'baseUrl' | 'wsUrl' | 'metrics'> & {
  credentials: Pick<Profile['credentials'], 'signer'>
}

const WHAT = [
  // Each sign-in calls the signer and is a change, so clients that sign in under load need both.
  {
    kind: 'writes',
    name: 'mutations',
    text: 'to change anything',
    also: (at: Addresses) => at.credentials.signer,
  },
  { kind: 'load', name: 'load', text: 'a load', also: (at: Addresses) => at.metrics },
] as const

/**
 * Forbidden actions with the reason. Local hosts forbid nothing; others are read-only, unless the profile allows more
 * and the command line confirms each host. Throws a BreakwaterError (usage) if it confirms another host.
 */
export function permissionFor(
  profile: Addresses & Pick<Profile, 'allow'>,
  confirmed: readonly string[] | undefined = [],
): Refuses {
  mustBeHosts(confirmed, [profile])
  const refuses: Refuses = { writes: null, load: null }
  for (const { kind, name, text, also } of WHAT) {
    const hosts = elsewhere([profile.baseUrl, profile.wsUrl, also(profile)])
    const missing = hosts.filter((host) => !confirmed.includes(host))
    if (hosts.length > 0 && !profile.allow[name])
      refuses[kind] = `${hosts[0]}: the profile does not allow ${text} (allow.${name})`
    else if (missing.length > 0)
      refuses[kind] =
        `${missing.join(' and ')}: the command line does not confirm ${text} (${confirmFlags(missing)})`
  }
  return refuses
}

/** The remedy for a forbidden action. */
export const PERMISSION_HINT =
  'Set allow in the profile to true if the owner of the target agrees, and confirm each host with --confirm.'

/** Throws a BreakwaterError (usage) if hosts are confirmed without a target. */
export function mustHaveTarget({ confirm, target }: { confirm?: unknown; target?: unknown }): void {
  if (confirm === undefined || target !== undefined) return
  throw new BreakwaterError('--confirm requires --target', {
    hint: 'Pass the profile of the target with --target, or omit --confirm.',
  })
}

/** For custom scripts, whose effects are unknown in advance. */
export function mustAllowAll(
  what: string,
  confirmed: readonly string[] | undefined,
): (profile: Profile) => void {
  return (profile) => {
    const { writes, load } = permissionFor(profile, confirmed)
    const reason = writes ?? load
    if (reason !== null)
      throw new BreakwaterError(`${what} may make changes and cause load: ${reason}`, {
        hint: PERMISSION_HINT,
      })
  }
}

/** Throws a BreakwaterError (usage) if a confirmed host is in none of the profiles. */
export function mustBeHosts(confirmed: readonly string[], profiles: readonly Addresses[]): void {
  const hosts = profiles.flatMap((profile) => listAddresses(profile).map(parseHost))
  const unknown = confirmed.find((host) => !hosts.includes(host))
  if (unknown === undefined) return
  throw new BreakwaterError(`--confirm ${unknown}: the target is ${[...new Set(hosts)].join(', ')}`, {
    hint: 'Name a host from the target profile.',
  })
}

export function hostsConfirmed(confirmed: readonly string[], profile: Addresses): string[] {
  const hosts = listAddresses(profile).map(parseHost)
  return confirmed.filter((host) => hosts.includes(host))
}

/** The profile's hosts that are not on this machine. */
export function hostsElsewhere(profile: Addresses): string[] {
  return elsewhere(listAddresses(profile))
}

export function confirmFlags(hosts: readonly string[]): string {
  return hosts.map((host) => `--confirm ${host}`).join(' ')
}

function listAddresses({ baseUrl, wsUrl, metrics, credentials }: Addresses): string[] {
  return [baseUrl, wsUrl, metrics, credentials.signer].filter((address) => address !== null)
}

function elsewhere(addresses: readonly (string | null)[]): string[] {
  const there = addresses.filter((address) => address !== null && !isLoopback(address))
  return [...new Set(there.map((address) => parseHost(address ?? '')))]
}

function parseHost(address: string): string {
  return new URL(address).hostname
}

/** Everything that is asked of a target and its profile, in the order in which it is told. */
import { confirmFlags, hostsElsewhere } from '../smoke/permission.ts'
import { checkExchange, checkFeed, checkMetrics, checkRest } from './answer-checks.ts'
import { checkApiTokens, checkCa, checkControl, checkSigner, checkWallets } from './credential-checks.ts'
import type { Finding, Judged } from './finding.ts'
import { checkCertificate, checkTargetClock } from './secure-checks.ts'
import type { TargetFacts } from './target-facts.ts'

const TARGET_CHECKS: readonly (readonly [name: string, check: (facts: TargetFacts) => Judged | null])[] = [
  ['certificates', checkCa],
  ['rest', checkRest],
  ['exchange', checkExchange],
  ['feed', checkFeed],
  ['tls', checkCertificate],
  ['clock of the target', checkTargetClock],
  ['metrics', checkMetrics],
  ['wallets', checkWallets],
  ['api tokens', checkApiTokens],
  ['signer', checkSigner],
  ['control', checkControl],
  ['allowed', checkAllowed],
]

/** What does not apply to a target is left out. */
export function checkTarget(facts: TargetFacts): Finding[] {
  return TARGET_CHECKS.flatMap(([check, judge]) => {
    const judged = judge(facts)
    return judged === null ? [] : [{ check, ...judged }]
  })
}

/** What a run may do there; never a fault of the profile. */
function checkAllowed({ profile }: Pick<TargetFacts, 'profile'>): Judged {
  const { allow } = profile
  const hosts = hostsElsewhere(profile)
  if (hosts.length === 0) return { verdict: 'ok', saw: 'on this machine: anything' }
  const named = hosts.join(', ')
  const more = [allow.mutations && 'changes', allow.load && 'a load'].filter(Boolean).join(' and ')
  return {
    verdict: 'ok',
    saw:
      more === ''
        ? `${named}: only read, as allow.mutations and allow.load are false`
        : `${named}: only read; with ${confirmFlags(hosts)} takes ${more}`,
  }
}

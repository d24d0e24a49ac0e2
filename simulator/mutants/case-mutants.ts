import { isSymptom, type Mutant, type MutantName, PROBED_MUTANTS } from './mutants.ts'

/** Mutants with exactly the bug that a case of fixtures/cases reproduces. */
export const MUTANTS_BY_CASE: Readonly<Record<string, readonly MutantName[]>> = {
  'reconnect-1012-deploy': ['ws-restart-strands'],
  'reconnect-unauthenticated': ['ws-serves-strangers'],
  'subscribe-before-open': ['ws-serves-strangers'],
  'mute-socket': ['ws-sync-mute'],
  'ghost-state-after-gap': ['ws-replays'],
  'snapshot-races-feed': ['ws-sync-early'],
  'rate-limit-burst': ['rate-limit-forever'],
  'rate-limit-two-clients-one-ip': ['rate-limit-never'],
  'refresh-race-two-tabs': ['auth-refresh-loser-is-thief'],
  'refresh-race-fifty': ['auth-refresh-crowd-500'],
  'loser-clears-cookies': ['auth-refresh-loser-clears'],
  'two-winners': ['auth-refresh-two-winners'],
}

/** Undetected: the stories have no pending revision, no session older than 10 minutes and no altered ticket. */
const NOT_SHOWN: Readonly<Record<string, readonly MutantName[]>> = {
  'reads-step-back': ['protocol-pending-served'],
  'refresh-response-lost': ['auth-session-10-min'],
  'ticket-expires-mid-session': ['ws-takes-any-ticket'],
}

/**
 * Mutants that a case detects: they break its rules in a way that shows in its story. A case has one story, which need not
 * include a deviation on one of several resources, or on a second try.
 */
export function listCaseMutants({ name, rules }: { name: string; rules: readonly string[] }): Mutant[] {
  return PROBED_MUTANTS.filter(
    (mutant) =>
      mutant.rules.some((rule) => rules.includes(rule)) &&
      !isSymptom(mutant.name) &&
      !NOT_SHOWN[name]?.includes(mutant.name),
  )
}

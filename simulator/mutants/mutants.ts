/**
 * Mutants: each breaks one rule of the stub, which proves that the probe of that rule can fail. A run against the mutant
 * reports all of `rules`, and no other rule except those of `sometimes`. Most of the mutants `sequence-*` pass these probes:
 * `explore` has to detect them.
 */

import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { type Deviation, type DeviationTable, deviateAuth } from './deviation.ts'
import { ACCESS_MUTANTS, ACCESS_SYMPTOMS, DENIAL_SYMPTOMS } from './tables/access.ts'
import { ADMIN_MUTANTS, ADMIN_SYMPTOMS, REFERRAL_MUTANTS } from './tables/admin.ts'
import { API_TOKEN_MUTANTS, API_TOKEN_SYMPTOMS } from './tables/api-token.ts'
import { AUDIT_SYMPTOMS, LATER_SYMPTOMS } from './tables/audit-symptoms.ts'
import { AUTH_MUTANTS, CREDENTIAL_SYMPTOMS } from './tables/auth.ts'
import { AUTH_SYMPTOMS, SIGN_IN_SYMPTOMS } from './tables/auth-symptoms.ts'
import { CREDENTIAL_SLIP_SYMPTOMS } from './tables/credential-slips.ts'
import { DELIVERY_MUTANTS, QUIET_FEED_SYMPTOMS } from './tables/delivery.ts'
import { DELIVERY_SYMPTOMS } from './tables/delivery-symptoms.ts'
import { EVENT_SYMPTOMS } from './tables/event-symptoms.ts'
import { FEED_MUTANTS, ROOM_SYMPTOMS } from './tables/feed.ts'
import { FEED_SLIP_SYMPTOMS } from './tables/feed-slips.ts'
import { FRESH_ACCESS_SYMPTOMS } from './tables/fresh-access.ts'
import { FRESH_FEED_SYMPTOMS } from './tables/fresh-feed.ts'
import { FRESH_MARKET_SYMPTOMS } from './tables/fresh-market.ts'
import { FRESH_PAGING_SYMPTOMS, QUIET_PAGING_SYMPTOMS } from './tables/fresh-paging.ts'
import { LATER_ROOM_SYMPTOMS, LATER_TICKET_SYMPTOMS } from './tables/later-rooms.ts'
import { LATER_COOKIE_SYMPTOMS, LATER_SESSION_SYMPTOMS } from './tables/later-sessions.ts'
import { FAUCET_MUTANTS, LIMIT_SYMPTOMS, RATE_LIMIT_MUTANTS } from './tables/limits.ts'
import { LATER_LIST_SYMPTOMS, LIST_SLIP_SYMPTOMS } from './tables/list-slips.ts'
import { MEMBERSHIP_SYMPTOMS } from './tables/membership-symptoms.ts'
import { PAGING_MUTANTS, SWAP_MUTANTS } from './tables/paging.ts'
import { PAGING_SYMPTOMS, WALK_SYMPTOMS } from './tables/paging-symptoms.ts'
import { POOL_LIST_SYMPTOMS, SEARCH_SYMPTOMS, SWAP_PAGE_SYMPTOMS } from './tables/pool-list-symptoms.ts'
import { CLAIM_SYMPTOMS, PORTFOLIO_SYMPTOMS, PROTOCOL_SYMPTOMS } from './tables/protocol-symptoms.ts'
import { QUIET_REST_SYMPTOMS } from './tables/quiet-rest-symptoms.ts'
import { RACE_FEED_MUTANTS } from './tables/race-feed-mutants.ts'
import { RACE_MUTANTS } from './tables/race-mutants.ts'
import { LATER_READ_SYMPTOMS, RECORD_SYMPTOMS } from './tables/record-slips.ts'
import { REFRESH_SYMPTOMS } from './tables/refresh-symptoms.ts'
import { REFUSED_WRITE_SYMPTOMS } from './tables/refused-writes.ts'
import { ROOM_SLIP_SYMPTOMS } from './tables/room-slips.ts'
import { HOP_SYMPTOMS, ROUTE_MUTANTS } from './tables/route.ts'
import { ROUTE_SYMPTOMS } from './tables/route-symptoms.ts'
import {
  SEQUENCE_CLAIM_MUTANTS,
  SEQUENCE_PAGE_MUTANTS,
  SEQUENCE_ROUTE_MUTANTS,
} from './tables/sequence-lists.ts'
import { SEQUENCE_REFRESH_MUTANTS, SEQUENCE_SESSION_END_MUTANTS } from './tables/sequence-sessions.ts'
import { SEQUENCE_ROOM_MUTANTS, SEQUENCE_TICKET_MUTANTS } from './tables/sequence-sockets.ts'
import type { SequenceTable } from './tables/sequence-table.ts'
import { SEQUENCE_TOKEN_MUTANTS } from './tables/sequence-tokens.ts'
import { END_SYMPTOMS, SESSION_END_SYMPTOMS } from './tables/session-end-symptoms.ts'
import { SESSION_SLIP_SYMPTOMS } from './tables/session-slips.ts'
import { SESSION_SYMPTOMS } from './tables/session-symptoms.ts'
import { REFRESH_MUTANTS, SESSION_MUTANTS } from './tables/sessions.ts'
import { SOCKET_SLIP_SYMPTOMS } from './tables/socket-slips.ts'
import { SOCKET_SYMPTOMS, STRANGER_SYMPTOMS, TICKET_SYMPTOMS } from './tables/socket-symptoms.ts'
import { LATER_TOKEN_SYMPTOMS, TOKEN_SLIP_SYMPTOMS, TOKEN_SYMPTOMS } from './tables/token-symptoms.ts'
import { WIRE_MUTANTS, WIRE_SYMPTOMS } from './tables/wire.ts'

const MUTANT_TABLE = {
  ...WIRE_MUTANTS,
  ...PAGING_MUTANTS,
  ...SWAP_MUTANTS,
  ...ACCESS_MUTANTS,
  ...ROUTE_MUTANTS,
  ...AUTH_MUTANTS,
  ...REFRESH_MUTANTS,
  ...SESSION_MUTANTS,
  ...API_TOKEN_MUTANTS,
  ...ADMIN_MUTANTS,
  ...REFERRAL_MUTANTS,
  ...FEED_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...FAUCET_MUTANTS,
  ...RATE_LIMIT_MUTANTS,
}

const SYMPTOM_TABLE = {
  ...CLAIM_SYMPTOMS,
  ...HOP_SYMPTOMS,
  ...SEARCH_SYMPTOMS,
  ...POOL_LIST_SYMPTOMS,
  ...SWAP_PAGE_SYMPTOMS,
  ...WIRE_SYMPTOMS,
  ...ACCESS_SYMPTOMS,
  ...AUDIT_SYMPTOMS,
  ...LATER_COOKIE_SYMPTOMS,
  ...LATER_LIST_SYMPTOMS,
  ...LATER_READ_SYMPTOMS,
  ...LATER_ROOM_SYMPTOMS,
  ...LATER_SESSION_SYMPTOMS,
  ...LATER_SYMPTOMS,
  ...LATER_TICKET_SYMPTOMS,
  ...LATER_TOKEN_SYMPTOMS,
  ...DENIAL_SYMPTOMS,
  ...ADMIN_SYMPTOMS,
  ...API_TOKEN_SYMPTOMS,
  ...AUTH_SYMPTOMS,
  ...END_SYMPTOMS,
  ...EVENT_SYMPTOMS,
  ...FEED_SLIP_SYMPTOMS,
  ...FRESH_ACCESS_SYMPTOMS,
  ...FRESH_FEED_SYMPTOMS,
  ...FRESH_MARKET_SYMPTOMS,
  ...FRESH_PAGING_SYMPTOMS,
  ...LIMIT_SYMPTOMS,
  ...LIST_SLIP_SYMPTOMS,
  ...PAGING_SYMPTOMS,
  ...PORTFOLIO_SYMPTOMS,
  ...PROTOCOL_SYMPTOMS,
  ...ROOM_SLIP_SYMPTOMS,
  ...ROOM_SYMPTOMS,
  ...ROUTE_SYMPTOMS,
  ...SESSION_SLIP_SYMPTOMS,
  ...SESSION_SYMPTOMS,
  ...SOCKET_SLIP_SYMPTOMS,
  ...SOCKET_SYMPTOMS,
  ...STRANGER_SYMPTOMS,
  ...TICKET_SYMPTOMS,
  ...REFRESH_SYMPTOMS,
  ...REFUSED_WRITE_SYMPTOMS,
  ...SIGN_IN_SYMPTOMS,
  ...SESSION_END_SYMPTOMS,
  ...TOKEN_SLIP_SYMPTOMS,
  ...TOKEN_SYMPTOMS,
  ...WALK_SYMPTOMS,
  ...CREDENTIAL_SYMPTOMS,
  ...CREDENTIAL_SLIP_SYMPTOMS,
  ...DELIVERY_SYMPTOMS,
  ...MEMBERSHIP_SYMPTOMS,
  ...QUIET_FEED_SYMPTOMS,
  ...QUIET_PAGING_SYMPTOMS,
  ...QUIET_REST_SYMPTOMS,
  ...RECORD_SYMPTOMS,
}

const SEQUENCE_TABLE = {
  ...SEQUENCE_REFRESH_MUTANTS,
  ...SEQUENCE_SESSION_END_MUTANTS,
  ...SEQUENCE_TOKEN_MUTANTS,
  ...SEQUENCE_TICKET_MUTANTS,
  ...SEQUENCE_ROOM_MUTANTS,
  ...SEQUENCE_PAGE_MUTANTS,
  ...SEQUENCE_ROUTE_MUTANTS,
  ...SEQUENCE_CLAIM_MUTANTS,
}

export type MutantName =
  | keyof typeof MUTANT_TABLE
  | keyof typeof SYMPTOM_TABLE
  | keyof typeof SEQUENCE_TABLE
  | keyof typeof RACE_MUTANTS
  | keyof typeof RACE_FEED_MUTANTS

export type Mutant = {
  name: MutantName
  breaks: string
  rules: readonly string[]
  sometimes: readonly string[]
  /** `explore`: the bug shows only after a sequence of steps; `histories`: only in the operation log of a load. */
  detectedBy: 'probes' | 'explore' | 'histories'
}

const PROBED_TABLE: DeviationTable = { ...MUTANT_TABLE, ...SYMPTOM_TABLE }
const SEQUENCES: SequenceTable = SEQUENCE_TABLE
const TABLE: DeviationTable = { ...PROBED_TABLE, ...SEQUENCES, ...RACE_MUTANTS, ...RACE_FEED_MUTANTS }

/** Mutants that a run of `smoke` detects. */
export const PROBED_MUTANTS = listMutants(PROBED_TABLE, 'probes')

/** Mutants that need a sequence, with the part of the specification that each breaks. */
export const SEQUENCE_MUTANTS = listMutants(SEQUENCES, 'explore').map((mutant) => ({
  ...mutant,
  states: SEQUENCES[mutant.name]?.states ?? '',
}))

/** Mutants that need a load, because probes run too few requests at a time. */
export const LOAD_MUTANTS = listMutants({ ...RACE_MUTANTS, ...RACE_FEED_MUTANTS }, 'histories')

export const MUTANTS: readonly Mutant[] = [
  ...PROBED_MUTANTS,
  ...listMutants(SEQUENCES, 'explore'),
  ...LOAD_MUTANTS,
]

function listMutants(table: DeviationTable, detectedBy: Mutant['detectedBy']): readonly Mutant[] {
  return Object.entries(table).map(([name, { breaks, rules, sometimes = [] }]) => ({
    name: name as MutantName, // the keys of the tables are the names
    breaks,
    rules,
    sometimes,
    detectedBy,
  }))
}

const JOINT = '+'

/** The mutant, or one with the bugs of several if the names are joined: `swaps-unsorted+faucet-twice`. */
export function mutantByName(name: string): Mutant | undefined {
  const parts = name.split(JOINT).map((part) => MUTANTS.find((mutant) => mutant.name === part))
  const [first, ...others] = parts.filter((mutant) => mutant !== undefined)
  if (first === undefined || others.length + 1 < parts.length) return undefined
  return others.reduce(joinMutants, first)
}

export function joinMutants(one: Mutant, other: Mutant): Mutant {
  return {
    // as: names of the tables, which `findDeviation` splits again
    name: [one.name, other.name].join(JOINT) as MutantName,
    breaks: `${one.breaks}; ${other.breaks}`,
    rules: [...new Set([...one.rules, ...other.rules])],
    sometimes: [...one.sometimes, ...other.sometimes],
    detectedBy: one.detectedBy,
  }
}

/** Throws a BreakwaterError (usage) if two joined mutants change the same part of the stub. */
export function findDeviation(mutant: MutantName | null): Deviation | undefined {
  if (mutant === null) return undefined
  const deviations = mutant.split(JOINT).map((part) => TABLE[part]?.deviates)
  return combineDeviations(deviations.filter((deviation) => deviation !== undefined))
}

/** True for a mutant that breaks its rules only in part, such as on one resource or from the second attempt on. */
export function isSymptom(mutant: MutantName): boolean {
  return mutant in SYMPTOM_TABLE
}

/** The parts of a deviation of which a stub can have one. */
const SINGLE = ['socket', 'rateLimit', 'isSigned'] as const satisfies readonly (keyof Deviation)[]

/**
 * One deviation with the effects of all, applied in their order. Throws a BreakwaterError (usage) if two of them replace
 * the same part of the stub.
 */
export function combineDeviations(deviations: readonly Deviation[]): Deviation {
  const [first = {}, ...others] = deviations
  return others.reduce(combineTwo, first)
}

function combineTwo(one: Deviation, other: Deviation): Deviation {
  const shared = SINGLE.find((part) => one[part] && other[part])
  if (shared !== undefined)
    throw new BreakwaterError(`two of the mutants change the same part of the stub (${shared})`, {
      hint: 'Start a stub for each of them.',
    })
  return {
    ...one,
    ...other,
    ...((one.rest || other.rest) && { rest: [...(one.rest ?? []), ...(other.rest ?? [])] }),
    ...((one.limits || other.limits) && { limits: { ...one.limits, ...other.limits } }),
    ...(one.auth && {
      auth: (auth, tools) => deviateAuth(deviateAuth(auth, one, tools), other, tools),
    }),
  }
}

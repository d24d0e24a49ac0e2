/** The faucet, referral codes and the operations of administrators (Limits; Admin endpoints; Authentication 7 and 8). */
import type { z } from 'zod'
import { at } from '../../client/exchange.ts'
import { LIMITS } from '../../contract/limits.ts'
import { codeInventorySchema, mintResultSchema } from '../../contract/schemas/access.ts'
import { validate } from '../../contract/validate.ts'
import { ADMINISTRATOR, type CommandOf } from '../sequence.ts'
import {
  describeStatus,
  expectCredential,
  explainChecked,
  isSuccess,
  isTransient,
  isUnauthorized,
} from './credentials.ts'
import { type Done, type Explained, type Profiled, put, type State, type Violation } from './state.ts'

const INTERVAL_MS = LIMITS.faucetSeconds * 1000
/** For clocks and blocks. */
const EARLY_MS = INTERVAL_MS - 15_000
const LATE_MS = INTERVAL_MS + 60_000
const SOON_MS = 60_000
/** A faucet that is elsewhere, or closed to the wallet. */
const NOT_OPEN: readonly number[] = [401, 403, 404, 405]

export function explainClaim(state: State, done: Done<CommandOf<'claim'>>, { choices }: Profiled): Explained {
  const { command, outcome, callMs, returnMs } = done
  const by = choices.faucet.access === 'public' ? undefined : command.by
  const isSession = command.by in state.sessions
  const expected = by === undefined ? null : expectCredential(state, by, done)
  const place = String(command.wallet)
  const acceptedMs = state.claims[place]?.acceptedMs ?? null
  const accept = () => put(state, 'claims', place, { acceptedMs: callMs })
  const ageMs = acceptedMs === null ? null : returnMs - acceptedMs
  if (isSuccess(outcome)) {
    if (expected?.must === 'fail') return explainChecked(state, done, { by, check: () => undefined })
    if (ageMs === null || ageMs > EARLY_MS) return [accept()]
    return {
      rule: ageMs < SOON_MS ? 'faucet.claim.once' : 'faucet.claim.still-refused',
      expected: `a 4xx, because the last claim was accepted ${Math.round(ageMs / 1000)} s before`,
      observed: describeStatus(outcome),
    }
  }
  if (isTransient(outcome) && outcome.status !== 429) return [state, accept()]
  // An early claim may be rejected; so may one after others that were rejected.
  const isDue = (outcome.quietMs ?? 0) >= LATE_MS && (ageMs === null || ageMs >= LATE_MS)
  const mayReject =
    NOT_OPEN.includes(outcome.status) ||
    (outcome.status === 429 && !outcome.isPersistent) ||
    (expected !== null && expected.must !== 'work') ||
    (choices.faucet.access === 'session' && !isSession)
  if (!isDue || mayReject) return [state]
  const isOtherRecent = Object.values(state.claims).some(
    (claim) => claim.acceptedMs !== null && callMs - claim.acceptedMs < INTERVAL_MS,
  )
  return {
    rule: isOtherRecent
      ? 'faucet.claim.per-address'
      : acceptedMs === null
        ? 'faucet.claim.accepted'
        : 'faucet.claim.again',
    expected: 'a success, because no one has claimed for this address for 16 minutes',
    observed: describeStatus(outcome),
  }
}

/** A made-up code is never accepted from an API token, which may not send one. What a session gets is not stated. */
export function explainCode(state: State, done: Done<CommandOf<'redeem-code'>>): Explained {
  const { command, outcome } = done
  const isToken = command.by in state.tokens
  const rule = `referral.${command.for === 'redemption' ? 'redeem' : 'attribution'}.session-only`
  if (!isToken || !isSuccess(outcome)) return [state]
  return {
    rule,
    expected: 'a 401 or 403, because API tokens redeem no codes',
    observed: describeStatus(outcome),
  }
}

type AdminDone = Done<CommandOf<'read-codes'> | CommandOf<'mint'>>

export function explainAdmin(state: State, done: AdminDone): Explained {
  const { command, outcome } = done
  const { by } = command
  const area = command.do === 'mint' ? 'admin.mint' : 'admin.codes'
  const isToken = by in state.tokens
  const wallet = (state.sessions[by] ?? state.tokens[by])?.wallet
  if (wallet === ADMINISTRATOR && !isToken) {
    if (isUnauthorized(outcome)) return explainUnauthorized(state, done)
    return explainChecked(state, done, { by, check: () => checkResult({ ...done, command }) })
  }
  const isServed = isSuccess(outcome)
  if (wallet === undefined || (!isServed && !outcome.isPersistent)) return [state]
  return {
    rule: wallet === ADMINISTRATOR ? `${area}.session-only` : `${area}.refused-to-others`,
    expected: isToken
      ? 'a 401 or 403, because API tokens administrate nothing'
      : 'a 403, because this is no administrator',
    observed: describeStatus(outcome),
  }
}

/** A profile may name the wrong wallet, so this is wrong only if the other endpoint is open to the session. */
function explainUnauthorized(state: State, { outcome }: AdminDone): Explained {
  if (outcome.witnessStatus !== 200) return [state]
  return {
    rule: 'admin.mint.works',
    expected: 'neither 401 nor 403, because this session may read referral codes',
    observed: describeStatus(outcome),
  }
}

const RESULTS = {
  mint: { rule: 'admin.mint.works', schema: mintResultSchema },
  'read-codes': { rule: 'admin.codes.record', schema: codeInventorySchema },
}

function checkResult({ command, outcome }: AdminDone): Violation | undefined {
  if (!isSuccess(outcome)) return undefined
  if (command.do === 'mint' && command.amount !== 'unit')
    return {
      rule: 'admin.mint.canonical',
      expected: `a 4xx, because the amount is not canonical (${command.amount})`,
      observed: describeStatus(outcome),
    }
  const { rule, schema } = RESULTS[command.do]
  const { problems } = validate<z.ZodType>(schema, outcome.body)
  if (problems === null) return undefined
  return { rule, expected: 'a body as specified', observed: problems.join('; ').slice(0, 300) }
}

const RECORDS: Readonly<Record<string, string>> = {
  '/access/status': 'referral.access.record',
  '/referral/status': 'referral.status.record',
}

/** Records of status, of a read that was explained. */
export function checkStatusRecord({ command, outcome }: Done<CommandOf<'read'>>): Violation | undefined {
  const rule = RECORDS[command.path]
  if (rule === undefined || !isSuccess(outcome)) return undefined
  const [access, code] = [at(outcome.body, 'data.has_access'), at(outcome.body, 'data.code')]
  if (typeof access === 'boolean' && (code === undefined || code === null || typeof code === 'string'))
    return undefined
  return {
    rule,
    expected: 'has_access as a boolean, and code as a string if present',
    observed: JSON.stringify({ has_access: access, code }).slice(0, 200),
  }
}

/**
 * Checks every body that a probe receives from a specified endpoint, so that a record that is wrong only on a
 * later page, in a later response or for one credential is still found.
 */
import { retryAfterMs } from '../../../client/retry-wait.ts'
import { exactFields } from '../../../contract/exact-fields.ts'
import type { Choices } from '../../../contract/profile.ts'
import { pick, pickRevision, pickRows, pickText } from '../pick.ts'
import type { RequestSpec } from '../requests/request.ts'
import { check } from '../verdict/check.ts'
import { findRepeatedRows } from './repeated-rows.ts'

type ReadSpec = Pick<RequestSpec, 'method' | 'path' | 'route' | 'query'>
type Seen = { status: number; json: unknown; headers: Record<string, string>; evidence(): string }
type Problem = { rule: string; problem: string }

export type RecordWatch = {
  check(spec: ReadSpec, reply: Seen, choices: Choices): void
  /** Records a read whose body failed to parse on several attempts. */
  neverParsed(spec: ReadSpec, reply: Seen): void
  /** Records a problem found elsewhere. */
  note(rule: string, problem: string, evidence: () => string): void
  /** Returns the problems found since the last call, by rule. */
  takeFound(): Map<string, Found[]>
}

type Found = { problem: string; evidence: string }

type Part = {
  rule: string
  schema: Parameters<typeof check>[0]
  /** Selects the schema problems that the rule is about. */
  concerns?: RegExp
  /** Excludes problems of another rule, or in parts that the specification does not define. */
  elsewhere?: RegExp
}

const DATA = /^\/data/
const TOKEN_INFO = /_info[/ ]/
const tokenInfo = (schema: Part['schema']): Part => ({
  rule: 'wire.token-info.record',
  schema,
  concerns: TOKEN_INFO,
})

/** Rules for successful bodies, by endpoint. */
const RECORDS: Readonly<Record<string, readonly Part[]>> = {
  'GET /pools': [{ rule: 'wire.pools.record', schema: 'poolsPage' }],
  'GET /pools/{key}': [{ rule: 'wire.pool.record', schema: 'poolBody' }],
  'GET /explore/pools': [
    { rule: 'wire.explore-pools.record', schema: 'explorePoolsPage' },
    { rule: 'wire.explore-pools.valuation', schema: 'explorePoolsPage', concerns: /^\/valuation/ },
  ],
  'GET /tokens': [],
  'GET /auth/sessions': [],
  'GET /api-tokens': [],
  'GET /swaps': [
    { rule: 'wire.swaps.record', schema: 'swapsPage', elsewhere: TOKEN_INFO },
    tokenInfo('swapsPage'),
  ],
  'GET /unclaimed': [
    { rule: 'wire.unclaimed.record', schema: 'unclaimedBody', elsewhere: TOKEN_INFO },
    tokenInfo('unclaimedBody'),
  ],
  'GET /fee-tiers': [{ rule: 'wire.fee-tiers.record', schema: 'feeTiersBody' }],
  // The specification does not define the contents of `fields`.
  'GET /schema/trading': [
    { rule: 'wire.schema-trading.record', schema: 'tradingSchemaBody', elsewhere: /\/fields\// },
  ],
  'GET /access/status': [{ rule: 'referral.access.record', schema: 'accessStatus' }],
  'GET /referral/status': [{ rule: 'referral.status.record', schema: 'referralStatus' }],
  'GET /referral/codes': [{ rule: 'admin.codes.record', schema: 'codeInventory' }],
}

/** Largest page of /explore/pools and /swaps. */
const PAGE_MAX = 100
const PAGED = ['GET /pools', 'GET /explore/pools', 'GET /swaps']
/** Referral codes are secrets, so these bodies are not evidence. */
const UNSHOWN = ['GET /referral/status', 'GET /referral/codes']

/** Per rule; the report shows no more. */
const FOUND_MAX = 20

export function createRecordWatch(): RecordWatch {
  let found = new Map<string, Found[]>()
  const once = new Set<string>()
  const note: RecordWatch['note'] = (rule, problem, evidence) => {
    const ofRule = found.get(rule) ?? []
    const isNew = ofRule.every((one) => one.problem !== problem)
    if (isNew && ofRule.length < FOUND_MAX) ofRule.push({ problem, evidence: evidence() })
    found.set(rule, ofRule)
  }
  const noteReply = (spec: ReadSpec, reply: Seen, { rule, problem }: Problem) => {
    const endpoint = formatEndpoint(spec)
    const isUnshown = UNSHOWN.includes(endpoint)
    const evidence = () => (isUnshown ? `${endpoint} -> ${reply.status}` : reply.evidence())
    note(rule, `${endpoint}: ${problem}`, evidence)
  }
  return {
    check(spec, reply, choices) {
      for (const problem of findProblems(spec, reply, choices)) noteReply(spec, reply, problem)
      for (const repeated of findRepeated(spec, reply)) {
        // The second time: a response that is put together while its list changes may have a row twice.
        if (once.has(repeated.problem)) noteReply(spec, reply, repeated)
        once.add(repeated.problem)
      }
    },
    neverParsed(spec, reply) {
      const problem = 'its body is not JSON in any of several reads'
      noteReply(spec, reply, { rule: 'wire.body.json', problem })
    },
    note,
    takeFound() {
      const taken = found
      found = new Map()
      return taken
    },
  }
}

function findProblems(spec: ReadSpec, reply: Seen, choices: Choices): Problem[] {
  const endpoint = formatEndpoint(spec)
  if (endpoint === 'GET /protocol/state') return findRevisionProblems(spec, reply, choices)
  const parts = RECORDS[endpoint]
  // A body that does not parse may have been truncated in transit.
  if (parts === undefined || reply.status !== 200 || reply.json === undefined) return []
  if (pick(reply.json, 'data') === undefined)
    return [{ rule: 'wire.success.payload-in-data', problem: 'no `data`' }]
  const pagination = PAGED.includes(endpoint)
    ? [...check('pagination', pick(reply.json, 'pagination')), ...findOtherPage(endpoint, spec, reply)]
    : []
  return [
    ...parts.flatMap((part) =>
      listProblems(part, reply.json).map((problem) => ({ rule: part.rule, problem })),
    ),
    ...findContradictions(endpoint, reply.json),
    ...findMisspelled(endpoint, reply.json),
    ...pagination.map((problem) => ({ rule: 'paging.pagination.fields', problem: `pagination ${problem}` })),
    ...findLargePage(endpoint, spec, reply),
    ...(endpoint === 'GET /pools/{key}' ? findOtherKey(spec, reply) : []),
  ]
}

/** Numbers with separators in pools, whose schema leaves the form of exact figures open. */
const SPELLED: Readonly<Record<string, string>> = {
  'GET /pools': 'wire.pools.record',
  'GET /pools/{key}': 'wire.pool.record',
  'GET /explore/pools': 'wire.explore-pools.record',
}

function findMisspelled(endpoint: string, json: unknown): Problem[] {
  const rule = SPELLED[endpoint]
  if (rule === undefined) return []
  const [first] = exactFields(pick(json, 'data')).misspelled
  const name = first?.split('.').at(-1)
  return name === undefined ? [] : [{ rule, problem: `${name} has separators or other digits` }]
}

export function recordProblems(endpoint: string, rule: string, json: unknown): string[] {
  return (RECORDS[endpoint] ?? [])
    .filter((part) => part.rule === rule)
    .flatMap((part) => listProblems(part, json))
}

function listProblems({ schema, concerns = DATA, elsewhere }: Part, json: unknown): string[] {
  return check(schema, json).filter((problem) => concerns.test(problem) && !elsewhere?.test(problem))
}

/** `offset` and `limit` are those of the request, if it must be served. A target may clamp others, and any limit of /pools. */
function findOtherPage(endpoint: string, { query = {} }: ReadSpec, { json }: Seen): string[] {
  const [offset, limit, total] = ['offset', 'limit', 'total'].map((name) => pick(json, `pagination.${name}`))
  const [asked, size] = [readCanonical(query.offset), readCanonical(query.limit)]
  const rows = pickRows(json, 'data')?.length ?? 0
  const isBelowTotal = asked !== undefined && typeof total === 'number' && asked < total
  // Another rule covers a page that is too large.
  const isPageSize =
    size !== undefined && size >= Math.max(1, rows) && size <= PAGE_MAX && endpoint !== 'GET /pools'
  return [
    ...(isBelowTotal && isOtherNumber(offset, asked) ? [`offset ${offset}, requested ${asked}`] : []),
    ...(isPageSize && isOtherNumber(limit, size) ? [`limit ${limit}, requested ${size}`] : []),
  ]
}

/** Rules of pages with more rows than their limit: small ones, then those from `LARGE` on. */
const PAGE_SIZE: Readonly<Record<string, readonly [small: string, large: string]>> = {
  'GET /explore/pools': ['paging.limit.accepts-1', 'paging.limit.accepts-100'],
  'GET /swaps': ['paging.swaps.accepts-1', 'paging.swaps.accepts-100'],
}
const LARGE = 50

/** Other rules cover limits out of bounds. */
function findLargePage(endpoint: string, { query = {} }: ReadSpec, { json }: Seen): Problem[] {
  const [size, rows] = [readCanonical(query.limit), pickRows(json, 'data')?.length ?? 0]
  const rules = PAGE_SIZE[endpoint]
  if (rules === undefined || size === undefined || size < 1 || size > PAGE_MAX || rows <= size) return []
  return [{ rule: size < LARGE ? rules[0] : rules[1], problem: `${rows} rows, requested ${size}` }]
}

function findRepeated(spec: ReadSpec, { status, json }: Seen): Problem[] {
  const sizeMax = Math.min(readCanonical(spec.query?.limit) ?? PAGE_MAX, PAGE_MAX)
  return status === 200 ? findRepeatedRows(formatEndpoint(spec), json, sizeMax) : []
}

function readCanonical(text: string | undefined): number | undefined {
  return text !== undefined && /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : undefined
}

function isOtherNumber(value: unknown, expected: number): boolean {
  return typeof value === 'number' && value !== expected
}

function findOtherKey({ path }: ReadSpec, { json }: Seen): Problem[] {
  const [requested, served] = [decodeURIComponent(path.slice('/pools/'.length)), pickText(json, 'data.key')]
  if (served === undefined || served === requested) return []
  return [
    { rule: 'paging.key.round-trip', problem: `read by the key ${requested}, but has the key ${served}` },
  ]
}

/** A response to `minimum_revision` must not be older, and a pending revision needs a Retry-After. */
function findRevisionProblems({ query }: ReadSpec, reply: Seen, choices: Choices): Problem[] {
  const minimum = query?.minimum_revision
  if (minimum === undefined) return []
  const served = pickRevision(reply.json, choices.protocolState.revision)
  if (reply.status === 200 && served !== undefined && served < BigInt(minimum))
    return [{ rule: 'protocol.minimum.served', problem: `revision ${served}, requested at least ${minimum}` }]
  if (reply.status !== 503 || pick(reply.json, 'code') !== 'protocol_revision_pending') return []
  const { 'retry-after': retryAfter, date } = reply.headers
  if (retryAfterMs({ retryAfter, date, nowMs: 0 }) !== undefined) return []
  return [{ rule: 'protocol.pending.retry-after', problem: `Retry-After: ${retryAfter ?? 'missing'}` }]
}

function formatEndpoint({ method, path, route }: ReadSpec): string {
  return `${method} ${route ?? path}`
}

type Row = Record<string, unknown>

const INFO = 'wire.token-info.record'
const UNCLAIMED = 'wire.unclaimed.record'

/** Contradictions within a row of /swaps or /unclaimed. A row needs no other to be wrong, so a single one counts. */
export function findContradictions(endpoint: string, json: unknown): Problem[] {
  if (endpoint === 'GET /swaps')
    return (pickRows(json, 'data') ?? []).flatMap((row) => [
      ...findOtherInfo(row, [
        ['input_token_info', 'input_token', 'output_token'],
        ['output_token_info', 'output_token', 'input_token'],
      ]),
      ...findEmptyAmounts(row),
    ])
  if (endpoint !== 'GET /unclaimed') return []
  return [
    ...(pickRows(json, 'data.pending_swaps') ?? []).flatMap((row) =>
      findOtherInfo(row, [
        ['token_in_info', 'output.token_in', 'output.token_out'],
        ['token_out_info', 'output.token_out', 'output.token_in'],
      ]),
    ),
    ...(pickRows(json, 'data.positions_with_owed') ?? []).flatMap(findTurnedRange),
  ]
}

/** Token infos with the id of the row's other token. Ids of another form prove nothing. */
function findOtherInfo(row: Row, sides: readonly (readonly [string, string, string])[]): Problem[] {
  return sides.flatMap(([info, own, other]) => {
    const [id, ownId, otherId] = [`${info}.id`, own, other].map((path) => pickText(row, path))
    if (id === undefined || ownId === undefined || ownId === otherId || id !== otherId) return []
    return [{ rule: INFO, problem: `${info} is that of ${other}` }]
  })
}

/** Only a private swap may hide its amounts. */
function findEmptyAmounts(row: Row): Problem[] {
  const empty = ['input_amount', 'output_amount'].filter(
    (name) => row.is_private === false && row[name] === '',
  )
  return empty.map((name) => ({ rule: 'wire.swaps.record', problem: `${name} of a public swap is empty` }))
}

function findTurnedRange({ tick_lower: lower, tick_upper: upper }: Row): Problem[] {
  if (typeof lower !== 'number' || typeof upper !== 'number' || lower <= upper) return []
  return [{ rule: UNCLAIMED, problem: `tick_lower ${lower} is above tick_upper ${upper}` }]
}

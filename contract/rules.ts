/**
 * The rule catalog: every sentence of the specification that is probed today. Plain data, also imported by scenarios inside
 * k6.
 */
import type { Rule } from './rule.ts'
import { ACCESS_RULES, API_TOKEN_RULES, RATE_LIMIT_RULES } from './rules/access.ts'
import { ADMIN_RULES, FAUCET_RULES, REFERRAL_RULES } from './rules/admin.ts'
import { AUTH_RULES } from './rules/auth.ts'
import { FEED_ROOM_RULES } from './rules/feed-rooms.ts'
import { FEED_SOCKET_RULES } from './rules/feed-sockets.ts'
import { PAGING_RULES, SWAP_RULES } from './rules/paging.ts'
import { PROTOCOL_RULES, ROUTE_RULES, WIRE_RULES } from './rules/wire.ts'

export const RULES: readonly Rule[] = [
  ...WIRE_RULES,
  ...PAGING_RULES,
  ...SWAP_RULES,
  ...ACCESS_RULES,
  ...ROUTE_RULES,
  ...PROTOCOL_RULES,
  ...AUTH_RULES,
  ...API_TOKEN_RULES,
  ...ADMIN_RULES,
  ...REFERRAL_RULES,
  ...FEED_SOCKET_RULES,
  ...FEED_ROOM_RULES,
  ...FAUCET_RULES,
  ...RATE_LIMIT_RULES,
]

const byId = new Map(RULES.map((rule) => [rule.id, rule]))

/** Returns the rule with this id, or undefined. */
export function ruleById(id: string): Rule | undefined {
  return byId.get(id)
}

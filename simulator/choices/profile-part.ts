import { z } from 'zod'
import { choicesSchema } from '../../contract/profile.ts'
import { open } from './choice-row.ts'

const AUTH = 'Authentication'
const AUTH_ENDPOINTS = 'Authentication endpoints'
const EXPLORE = 'GET /explore/pools'
const OPEN_SHAPE = 'Endpoints whose names are given but whose shape is open'
const TRADING = 'Data and trading endpoints'

const wire = open('On the wire')
const sessions = open('Sign-in and sessions')
const apiTokens = open('API tokens')
const lists = open('Lists')
const routes = open('Protocol and routes')
const feed = open('Live feed')

const profile = choicesSchema.unwrap().shape

/** Choices that the target profile names: the stub's own profile shows them as they are here. */
export const profilePart = z.strictObject({
  expiry: wire(shown(profile.expiry), 'Format of expiries', AUTH_ENDPOINTS),
  signature: sessions(shown(profile.signature), 'Signatures', AUTH_ENDPOINTS),
  verify: sessions(shown(profile.verify), 'Fields of the response to verify and to refresh', AUTH_ENDPOINTS),
  cookies: sessions(shown(profile.cookies), 'Names of the cookies', AUTH),
  refresh: sessions(
    shown(profile.refresh),
    'Grace time in which a replaced refresh token counts as racing',
    AUTH_ENDPOINTS,
  ),
  sessions: sessions(shown(profile.sessions), 'The list of sessions', AUTH_ENDPOINTS),
  wsTicket: sessions(shown(profile.wsTicket), 'The field of a ticket', AUTH_ENDPOINTS),
  apiTokens: apiTokens(
    shown(profile.apiTokens),
    'The list of tokens, and the maximum per wallet',
    'API token endpoints, Limits',
  ),
  tokens: lists(shown(profile.tokens), 'The token registry', 'Other records'),
  swapsPoolFilter: lists(
    shown(profile.swapsPoolFilter),
    'The parameter of /swaps that filters by pool',
    TRADING,
  ),
  explorePools: z.strictObject({
    sort: lists(shown(profile.explorePools.unwrap().shape.sort), 'Values of `sort` in the profile', EXPLORE),
    rejects: lists(
      shown(profile.explorePools.unwrap().shape.rejects),
      'Spellings of `limit` and `offset` that the profile lists as rejected',
      EXPLORE,
    ),
  }),
  protocolState: routes(shown(profile.protocolState), '/protocol/state', 'Authentication, Other records'),
  route: routes(shown(profile.route), 'A route', 'Other records'),
  positionsPath: routes(shown(profile.positionsPath), 'Positions', OPEN_SHAPE),
  balancesPath: routes(shown(profile.balancesPath), 'Balances', OPEN_SHAPE),
  faucet: routes(shown(profile.faucet), 'The faucet', OPEN_SHAPE),
  referral: routes(shown(profile.referral), 'Redemption and attribution', OPEN_SHAPE),
  events: feed(shown(profile.events), 'Fields of events', 'Events'),
  eventTime: feed(shown(profile.eventTime), 'Path and format of an event’s time', 'Events'),
})

/** Schema of a part of the target profile. No value may be null: the stub's own profile shows all. */
function shown<Schema extends z.ZodType>(schema: Schema) {
  return z.custom<Shown<z.output<Schema>>>((value) => schema.safeParse(value).success)
}

type Shown<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]: Shown<NonNullable<Value[Key]>> }
    : NonNullable<Value>

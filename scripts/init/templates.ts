import { profileJsonSchema } from '../../contract/profile.ts'
import type { KindName } from './kind-names.ts'
import { scenarioText } from './scenario-text.ts'

export type ProfileField = {
  path: readonly string[]
  /** Expected type in words: `text, or null`. */
  type: string
  words: readonly string[]
  default: unknown
  meaning: string
}

type Node = {
  type?: string
  format?: string
  description?: string
  default?: unknown
  enum?: readonly string[]
  properties?: Readonly<Record<string, Node>>
  anyOf?: readonly Node[]
}

export function profileFields(): ProfileField[] {
  return listFields(profileJsonSchema() as Node, []) // as: what is read of it is above
}

function listFields(node: Node, path: readonly string[]): ProfileField[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const here = [...path, key]
    if (inner.properties !== undefined) return listFields(inner, here)
    const { description: meaning = '', default: usual, enum: words = [] } = inner
    return { path: here, type: describeType(inner), words, default: usual, meaning }
  })
}

function describeType(node: Node): string {
  const { anyOf, type = '', format, enum: words } = node
  if (anyOf !== undefined) return `${anyOf.map(describeType).join(', or ')}`
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ')
  if (format === 'uri') return 'address'
  return TYPES[type] ?? type
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: '`true`, `false`',
  array: 'list',
  object: 'object',
  null: '`null`',
}

/** Fields that are written as values; the others become comments with their defaults. */
const SET: Readonly<Record<string, unknown>> = {
  baseUrl: 'http://127.0.0.1:8080',
  wsUrl: 'ws://127.0.0.1:8081',
  'allow.load': false,
  'allow.mutations': false,
}
const WIDTH = 110

/** A profile for a stub on its default ports, with every other field in a comment. */
export function profileText(name: string): string {
  return [
    `// ${name}: a target profile. It sets the address of an exchange, how to sign in, and the choices that the`,
    '// interface leaves open. Unchanged, it fits a stub that `breakwater stub` runs.',
    '//',
    '// Commented values are the defaults: remove the // to change one. If a choice is null, it is unknown, and checks that depend',
    '// on it are skipped. See docs/reference/profile.md of the installation.',
    '{',
    ...formatFields(profileFields(), { set: { name, ...SET }, depth: 1 }),
    '}',
    '',
  ].join('\n')
}

type Options = { set: Readonly<Record<string, unknown>>; depth: number }

function formatFields(fields: readonly ProfileField[], { set, depth }: Options): string[] {
  const keys = [...new Set(fields.map(({ path }) => path[depth - 1] ?? ''))]
  const indent = '  '.repeat(depth)
  return keys.flatMap((key) => {
    const inner = fields.filter(({ path }) => path[depth - 1] === key)
    const [field] = inner
    if (field?.path.length === depth) return fieldLines(field, { set, indent })
    return [`${indent}"${key}": {`, ...formatFields(inner, { set, depth: depth + 1 }), `${indent}},`]
  })
}

function fieldLines(
  { path, words, default: usual, ...field }: ProfileField,
  { set, indent }: { set: Options['set']; indent: string },
): string[] {
  const name = path.join('.')
  const isSet = name in set
  const value = `${indent}${isSet ? '' : '// '}"${path.at(-1)}": ${spaced(isSet ? set[name] : usual)},`
  const meaning = words.length === 0 ? field.meaning : `${field.meaning} (${words.join(', ')})`
  const whole = `${value} // ${meaning}`
  return whole.length <= WIDTH ? [whole] : [`${indent}// ${meaning}`, value]
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

type Kind = {
  what: string
  ending: string
  text: (name: string) => string
  next: (file: string) => readonly string[]
}

export const KINDS = {
  profile: {
    what: 'a target profile',
    ending: '.jsonc',
    text: profileText,
    next: (file) => [`npx breakwater doctor --target ${file}`, `npx breakwater smoke --target ${file}`],
  },
  mix: {
    what: 'a workload mix',
    ending: '.jsonc',
    text: mixText,
    next: (file) => [`npx breakwater smoke --mix ${file}`, `npx breakwater load --rate 20 --mix ${file}`],
  },
  slo: {
    what: 'service level objectives',
    ending: '.jsonc',
    text: sloText,
    next: (file) => [`npx breakwater load --rate 20 --slo ${file}`, `npx breakwater capacity --slo ${file}`],
  },
  scenario: {
    what: 'a scenario of your own',
    ending: '.k6.ts',
    text: scenarioText,
    next: (file) => [`npx breakwater run ${file}`],
  },
} as const satisfies Record<KindName, Kind>

/** Objectives that a stub meets easily, and others as comments. */
export function sloText(name: string): string {
  return `// ${name}: service level objectives. They define the promised speed and quality; replace the figures with yours.
// With too few samples an objective is not judged: a p95 needs 200 requests, a p99 1,000. See docs/reference/objectives.md of the installation.
{
  "name": ${JSON.stringify(name)},
  "objectives": [
    // "*": all requests together; otherwise the first part of a path: "pools" for /pools/{key}/trades.
    { "routeGroup": "*", "quantile": 0.95, "latencyMsMax": 500 },
    { "routeGroup": "explore", "quantile": 0.5, "latencyMsMax": 100 },
    // Shares of requests: without response or with a 5xx; and with a 429.
    { "routeGroup": "*", "errorRateMax": 0.01 },
    { "routeGroup": "*", "rateLimitedRateMax": 0.01 },
    // Iterations that the load generator could not start in time.
    { "droppedRateMax": 0.01 },

    // In each whole window of this many seconds, so that a stall shows in a long run:
    // { "routeGroup": "*", "quantile": 0.95, "latencyMsMax": 1000, "windowSeconds": 10 },

    // For mixes with WebSocket clients: from an event's timestamp until it arrives, and from opening a socket
    // until it is synchronized.
    // { "quantile": 0.95, "feedDelayMsMax": 2000 },
    // { "quantile": 0.9, "synchronizeMsMax": 2000 },
  ],
}
`
}

/** A mix that every target supports, and client kinds that need credentials as comments. */
export function mixText(name: string): string {
  return `// ${name}: a workload mix. It defines which clients arrive, how often, for how long, and what they do. An open model: they
// arrive at their rate, however slow the target is. docs/reference/mixes.md of the installation describes every field and request.
{
  "name": ${JSON.stringify(name)},
  "description": "visitors who look at market pages, crawlers that page through all",
  // How long clients keep arriving; those still present at the end leave.
  "durationSeconds": 10,
  // "empty": ramps up over one client lifetime. "steady": starts with the average number of clients.
  "start": "steady",
  "clients": [
    {
      "name": "visitors",
      "description": "look at market pages, without signing in",
      // "none"; "api-token": one of the target's; "session": signs in with a wallet, and signs out at the end.
      "credential": "none",
      // Average number of concurrent clients: this rate times the mean session duration.
      "arrivalRate": 3,
      // "constant": seconds. "uniform": minSeconds, maxSeconds. "exponential": meanSeconds. "log-normal": medianSeconds, sigma.
      "sessionDuration": { "distribution": "log-normal", "medianSeconds": 3, "sigma": 0.4 },
      // Pause between two steps.
      "thinkTime": { "distribution": "exponential", "meanSeconds": 0.6 },
      // Skew of the choice of pools. 0: uniform; 1: the second is half as likely as the first.
      "poolSkew": 1,
      // Steps are chosen by weight; the requests of a step are sent in parallel. A custom path is a public read.
      "steps": [
        { "weight": 6, "requests": ["explore-page", "tokens"] },
        { "weight": 2, "requests": ["pool", "pool-stats", "pool-ohlcv", "pool-trades"] },
        { "weight": 1, "requests": ["/explore/tokens"] },
      ],
    },
    {
      "name": "crawlers",
      "description": "page through all pools, as an aggregator does",
      "credential": "none",
      "arrivalRate": 0.2,
      "sessionDuration": { "distribution": "constant", "seconds": 5 },
      "thinkTime": { "distribution": "uniform", "minSeconds": 0.2, "maxSeconds": 0.4 },
      "steps": [
        { "weight": 3, "requests": ["pools-next"] },
        { "weight": 1, "requests": ["explore-next"] },
      ],
    },

    // Clients that need credentials; remove the // before each line. For API tokens:
    // {
    //   "name": "bots",
    //   "description": "request routes with an API token",
    //   "credential": "api-token",
    //   "arrivalRate": 0.3,
    //   "sessionDuration": { "distribution": "constant", "seconds": 6 },
    //   "thinkTime": { "distribution": "exponential", "meanSeconds": 0.5 },
    //   "steps": [
    //     { "weight": 4, "requests": ["route"] },
    //     { "weight": 1, "requests": ["swaps-of-pool", "unclaimed"] },
    //   ],
    // },

    // For wallets:
    // {
    //   "name": "traders",
    //   "description": "sign in with a wallet, and follow pools over the WebSocket",
    //   "credential": "session",
    //   "arrivalRate": 0.3,
    //   "sessionDuration": { "distribution": "log-normal", "medianSeconds": 5, "sigma": 0.3 },
    //   "thinkTime": { "distribution": "uniform", "minSeconds": 0.5, "maxSeconds": 1.5 },
    //   "refreshAfterSeconds": 720,
    //   "feed": {
    //     "rooms": { "pool_stats": 3, "trades": 2, "balances": 1, "protocol_config": 1 },
    //     "renewAfterSeconds": 45,
    //   },
    //   "steps": [
    //     { "weight": 2, "requests": ["pool", "pool-ohlcv"] },
    //     { "weight": 1, "requests": ["route"] },
    //   ],
    // },
  ],
}
`
}

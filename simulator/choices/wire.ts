import { z } from 'zod'
import { callable, open } from './choice-row.ts'

export const AT_MS = Date.UTC(2025, 0, 2, 3, 4, 5, 6)
const TOKEN_ID = '44266790276759384251610966982347841834512664441138819572721431316092680251field'
const POOL_KEY = '7004150756827642400743706520569186585858500213401534640423066173434833509020field'
export const ADDRESS = 'bw1qxgdm2qlt4k7t8epzqr34mdwgv2fv0mdac8x0g6rm69ptndlsweq08k4w4'
export const UUID = '0b2f6c1e-8a57-4d0e-9c39-5f1c7a4e2d90'

const row = open('On the wire')
const CONVENTIONS = 'Wire conventions'
const codecSchema = () => z.custom<Codec>((value) => typeof (value as Partial<Codec>)?.decode === 'function')

export const wireChoices = z.strictObject({
  timestamp: row(
    callable<(atMs: number) => string>(),
    'Times in records and events: strings',
    'Other records',
    (timestamp) => timestamp(AT_MS),
  ),
  expiry: row(
    callable<(atMs: number) => string | number>(),
    'The expiry of an access session, as in `expiry`',
    'Authentication endpoints',
    (expiry) => JSON.stringify(expiry(AT_MS)),
  ),
  revision: row(callable<(revision: number) => number | string>(), 'Revisions', 'Other records', (revision) =>
    JSON.stringify(revision(42)),
  ),
  /** From hundredths of a basis point. */
  fee: row(
    callable<(feePips: number) => string>(),
    'The fee of a pool of 0.3 %, an exact string',
    'Plain pool record',
    (fee) => fee(3000),
  ),
  /** Seconds or a date (RFC 9110, section 10.2.3), never before the wait is over. */
  retryAfter: row(
    callable<(options: { waitMs: number; nowMs: number }) => string>(),
    '`Retry-After` for a wait of two seconds',
    'Errors',
    (retryAfter) => retryAfter({ waitMs: 2000, nowMs: AT_MS }),
  ),
  tokenId: row(codecSchema(), 'Token ids', CONVENTIONS, ({ encode }) => encode(TOKEN_ID)),
  poolKey: row(codecSchema(), 'Pool keys', CONVENTIONS, ({ encode }) => encode(POOL_KEY)),
  address: row(codecSchema(), 'Addresses', CONVENTIONS, ({ encode }) => encode(ADDRESS)),
  walletPattern: row(z.string(), 'Addresses of wallets, as a regular expression', CONVENTIONS),
  sessionId: row(codecSchema(), 'Ids of sessions', 'Authentication endpoints', ({ encode }) => encode(UUID)),
})

export type Wire = z.output<typeof wireChoices>

/** Maps an internal text to its only spelling on the wire. */
export type Codec = {
  encode(internal: string): string
  /** undefined: not a valid spelling. */
  decode(text: string): string | undefined
}

/** Wraps a loose `decode`: accepts only texts that `encode` produces. */
export function codec({ encode, decode }: Codec): Codec {
  return {
    encode,
    decode(text) {
      const internal = decode(text)
      return internal !== undefined && encode(internal) === text ? internal : undefined
    },
  }
}

export const identity: Codec = { encode: (internal) => internal, decode: (text) => text }

/** Values by the name that their path has, or by the path itself if it has no name. */
type Named<Name extends string, Value> = Readonly<Record<Name, Value> & Record<string, Value>>

/**
 * Builds a body with each value at its dotted path: `shaped({ ticket: 'data.ticket' }, { ticket, 'data.subject': address })` is
 * `{ data: { ticket, subject: address } }`. No path may lead through the value of another.
 */
export function shaped<Name extends string>(
  paths: Readonly<Record<Name, string>>,
  values: Named<NoInfer<Name>, unknown>,
): Record<string, unknown> {
  return nest(atPaths(paths, values), (node) => node)
}

export function shapedSchema<Name extends string>(
  paths: Readonly<Record<Name, string>>,
  schemas: Named<NoInfer<Name>, z.ZodType>,
): z.ZodType<Record<string, unknown>> {
  return z.object(nest(atPaths(paths, schemas), (node) => z.object(node)))
}

function atPaths<Value>(paths: Readonly<Record<string, string>>, values: Readonly<Record<string, Value>>) {
  return Object.entries(values).map(([name, value]): [string, Value] => [paths[name] ?? name, value])
}

/** Builds nested objects; applies `close` to each complete one except the outermost. */
function nest<Value>(
  entries: readonly [path: string, value: Value][],
  close: (node: Record<string, Value>) => Value,
): Record<string, Value> {
  const node: Record<string, Value> = {}
  const inner = new Map<string, [string, Value][]>()
  for (const [path, value] of entries) {
    const [key = '', ...rest] = path.split('.')
    if (rest.length === 0) node[key] = value
    else inner.set(key, [...(inner.get(key) ?? []), [rest.join('.'), value]])
  }
  for (const [key, below] of inner) {
    if (Object.hasOwn(node, key)) throw new Error(`${key} is both a value and a node`)
    node[key] = close(nest(below, close))
  }
  return node
}

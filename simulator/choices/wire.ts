import { z } from 'zod'

/** How a set of choices spells what the specification leaves open. */
export type Wire = {
  /** A time, always as a string. */
  timestamp(atMs: number): string
  /** When an access session ends, as the profile's `expiry` says. */
  expiry(atMs: number): string | number
  revision(revision: number): number | string
  /** The fee of a pool, from hundredths of a basis point: an exact string. */
  fee(feePips: number): string
  /** Retry-After: seconds or a date (RFC 9110, section 10.2.3), never before the wait is over. */
  retryAfter(options: { waitMs: number; nowMs: number }): string
  readonly tokenId: Codec
  readonly poolKey: Codec
  /** Of wallets and of tokens. */
  readonly address: Codec
  /** A regular expression for addresses of wallets, such as they are in requests. */
  readonly walletPattern: string
  readonly sessionId: Codec
}

/** A text inside, and the only spelling of it on the wire. */
export type Codec = {
  encode(internal: string): string
  /** undefined: nothing is spelt like that. */
  decode(text: string): string | undefined
}

/** A codec that decodes nothing but what it encodes: of a loose `decode`, only what `encode` turns into the very text. */
export function codec({ encode, decode }: Codec): Codec {
  return {
    encode,
    decode(text) {
      const internal = decode(text)
      return internal !== undefined && encode(internal) === text ? internal : undefined
    },
  }
}

/** The same text on the wire as inside. */
export const identity: Codec = { encode: (internal) => internal, decode: (text) => text }

/** Values by the name that their path has, or, where none has one for it, by the path itself. */
type Named<Name extends string, Value> = Readonly<Record<Name, Value> & Record<string, Value>>

/**
 * A body with each value at its dotted path: `shaped({ ticket: 'data.ticket' }, { ticket, 'data.subject': address })` is
 * `{ data: { ticket, subject: address } }`. No path may lead through the value of another.
 */
export function shaped<Name extends string>(
  paths: Readonly<Record<Name, string>>,
  values: Named<NoInfer<Name>, unknown>,
): Record<string, unknown> {
  return nest(atPaths(paths, values), (node) => node)
}

/** The schema of such a body. */
export function shapedSchema<Name extends string>(
  paths: Readonly<Record<Name, string>>,
  schemas: Named<NoInfer<Name>, z.ZodType>,
): z.ZodType<Record<string, unknown>> {
  return z.object(nest(atPaths(paths, schemas), (node) => z.object(node)))
}

function atPaths<Value>(paths: Readonly<Record<string, string>>, values: Readonly<Record<string, Value>>) {
  return Object.entries(values).map(([name, value]): [string, Value] => [paths[name] ?? name, value])
}

/** Nested objects, each but the outermost closed by `close` once it is whole. */
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

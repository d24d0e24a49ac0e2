import { z } from 'zod'

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

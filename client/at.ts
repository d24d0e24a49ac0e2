/** What lies at a dotted path of a body, which is where the profile says that it is; null: the profile does not say. */
export function at(body: unknown, path: string | null): unknown {
  // as: a body is made of objects, or the path leads nowhere
  const step = (value: unknown, name: string) => (value as Record<string, unknown> | null | undefined)?.[name]
  return path?.split('.').reduce(step, body)
}

/** The text at a dotted path of a body. Throws where there is none, or no path. */
export function textAt(body: unknown, path: string | null): string {
  const text = at(body, path)
  if (typeof text !== 'string') throw new Error(`the exchange's answer has no text at ${path}`)
  return text
}

/** Revisions come as numbers or as digits. */
export function revisionAt(body: unknown, path: string | null): number {
  const revision = at(body, path)
  if (!/^[0-9]{1,15}$/.test(String(revision)))
    throw new Error(`the exchange's answer has no revision at ${path}`)
  return Number(revision)
}

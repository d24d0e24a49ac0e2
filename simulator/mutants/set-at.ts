/** Sets what lies at a dotted path of a body, where the path leads anywhere; undefined takes it away. */
export function setAt(body: object, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let node: unknown = body
  for (const name of names) node = (node as Record<string, unknown> | undefined)?.[name] // as: a body of nested objects
  if (typeof node === 'object' && node !== null) Object.assign(node, { [last]: value })
}

import { yamlOf } from './yaml-of.ts'

/** Objects as a command prints them, for `kubectl apply -f -`: as YAML, or as one List in JSON. */
export function objectsText(
  objects: readonly object[],
  { json = false }: { json?: boolean | undefined },
): string {
  return json ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) : yamlOf(objects).trimEnd()
}

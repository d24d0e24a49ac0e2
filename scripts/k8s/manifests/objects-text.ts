import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { documentText } from '../../terminal-text.ts'

/** Objects as a command prints them, for `kubectl apply -f -`: as YAML, or as one List in JSON. */
export function objectsText(
  objects: readonly object[],
  { json = false }: { json?: boolean | undefined },
): string {
  return json ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) : yamlOf(objects).trimEnd()
}

/**
 * Objects as one YAML stream, in their order, for `kubectl apply -f -`. By YAML 1.1, which Kubernetes reads: there `on`, `12:30` and `1_000`
 * are no texts unless they are quoted. If a text would not be read back as it is, such as one of blanks alone or one with what a
 * terminal may not show, all are in double quotes, in which the escapes of the terminal mean the same text.
 */
export function yamlOf(objects: readonly object[]): string {
  const text = streamOf(objects, {})
  return isReadBack(text, objects) ? text : streamOf(objects, QUOTED)
}

function isReadBack(text: string, objects: readonly object[]): boolean {
  const read = parseAllDocuments(documentText(text), { version: '1.1' }).map((document) => document.toJS())
  return isDeepStrictEqual(read, JSON.parse(JSON.stringify(objects)))
}

const QUOTED = {
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const

function streamOf(objects: readonly object[], quoting: Partial<typeof QUOTED>): string {
  return objects
    .map((object) =>
      stringify(object, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, ...quoting }),
    )
    .join('---\n')
}

import { stringify } from 'yaml'
import { documentText } from '../../terminal-text.ts'

/**
 * Objects as one YAML stream, in their order, for `kubectl apply -f -`. By YAML 1.1, which Kubernetes reads: there `on`, `12:30` and `1_000`
 * are no texts unless they are quoted. If a text holds what a terminal may not show, all are in double quotes, in which the
 * escapes of the terminal mean the same text.
 */
export function yamlOf(objects: readonly object[]): string {
  const text = streamOf(objects, {})
  return documentText(text) === text ? text : streamOf(objects, QUOTED)
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

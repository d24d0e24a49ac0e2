import { visible } from '../../reports/visible.ts'

export type Annotation = { kind: 'error' | 'warning' | 'notice'; title: string; message: string }

/** More would be cut by those who show it; the reports have all of it. */
const TITLE_MAX = 200
const MESSAGE_MAX = 2000

/**
 * A line that a runner of GitHub makes an annotation of. Whatever the texts hold, they end neither the line nor a property of
 * it, and show nothing else than they are.
 */
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions, as @actions/core escapes them.
/** The line that makes an annotation; title and message are cut at their greatest lengths. */
export function annotationLine({ kind, title, message }: Annotation): string {
  return `::${kind} title=${property(cut(title, TITLE_MAX))}::${data(cut(message, MESSAGE_MAX))}`
}

/**
 * Text between them is shown, and none of its lines is taken for a command: what a target said, and a log repeats, could
 * mask, set or annotate otherwise. The token must be one that nobody can guess.
 */
export function unheeded(token: string): { begin: string; end: string } {
  return { begin: `::stop-commands::${token}`, end: `::${token}::` }
}

function data(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`
}

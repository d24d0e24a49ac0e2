import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
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

/** GitHub shows none that is larger than 1 MiB. */
const SUMMARY_BYTES_MAX = 1_000_000

/** Writes outputs of the step to the file that the runner names; nothing where it names none. */
export function writeOutputs(outputs: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): void {
  if (!env.GITHUB_OUTPUT) return
  for (const [name, value] of Object.entries(outputs)) {
    const mark = randomUUID() // no value can hold it
    appendFileSync(env.GITHUB_OUTPUT, `${name}<<${mark}\n${value}\n${mark}\n`)
  }
}

/** Adds Markdown to the job's summary, cut at a line where it is too long to be shown. */
export function writeSummary(markdown: string, env: NodeJS.ProcessEnv, bytesMax = SUMMARY_BYTES_MAX): void {
  if (!env.GITHUB_STEP_SUMMARY) return
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${cutAtLine(markdown, bytesMax)}\n`)
}

function cutAtLine(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  const end = bytes.lastIndexOf('\n', bytesMax)
  return `${bytes.subarray(0, Math.max(end, 0)).toString()}\n\nThe rest is in the report, which is kept with the run.`
}

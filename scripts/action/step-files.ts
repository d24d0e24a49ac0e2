import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'

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

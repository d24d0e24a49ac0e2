/** `breakwater observe`: what the clients of a running stub do wrong, as it happens. */
import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { type ControlOptions, openControlApi } from '../control-api.ts'
import type { Io } from '../io.ts'
import { durationMs } from '../k6/k6-args.ts'
import { openOutputFile } from '../output-file.ts'
import { matchRules } from '../smoke/plan.ts'
import { type Followed, findingText, followFindings, observeJunit } from '../stub/findings.ts'
import { paintFor } from '../terminal-text.ts'

export type ObserveOptions = ControlOptions & {
  io: Io
  /** How long, as k6 writes durations; until it is interrupted if left out. */
  for?: string
  junit?: string
  json?: true
  rules: string
  /** What was found before, too. */
  all?: true
  listRules?: true
}

/**
 * Follows the findings of a stub. Answers 1 where there were some, 0 where there were none. Throws a BreakwaterError: usage
 * for a bad option, environment where the stub is not there, or ends meanwhile: what was seen until then is told, and written, all the same.
 */
export async function runObserve(options: ObserveOptions): Promise<ExitCode> {
  const { io, json, junit } = options
  if (options.listRules) return listRules(io, json)
  const rules = matchRules(options.rules, CLIENT_RULES, 'observe')
  const forMs = options.for === undefined ? undefined : forMsOf(options.for)
  const api = await openControlApi(options, io)
  const file =
    junit === undefined
      ? undefined
      : await openOutputFile({ file: resolve(io.cwd, junit), shown: junit, interrupted: io.interrupted })
  try {
    const timestamp = new Date().toISOString()
    const paint = paintFor(io)
    const followed = await followFindings({
      api,
      io,
      forMs,
      from: options.all ? 'start' : 'now',
      onFinding(finding) {
        if (!rules.includes(finding.rule)) return
        for (const line of json ? [JSON.stringify(finding)] : findingText(finding, paint)) io.stdout(line)
      },
    })
    const mine = { ...followed, findings: followed.findings.filter(({ rule }) => rules.includes(rule)) }
    const isInterrupted = io.interrupted.aborted
    file?.write(observeJunit({ followed: mine, rules, timestamp, isInterrupted }))
    file?.finish()
    if (!json) io.stdout(summary(mine, rules))
    if (mine.lost !== null) throw mine.lost
    return brokenRules(mine, rules).length > 0 ? EXIT.failed : EXIT.ok
  } finally {
    file?.discard()
  }
}

function listRules(io: Io, json: true | undefined): ExitCode {
  if (json) {
    io.document(JSON.stringify(CLIENT_RULES, null, 2))
    return EXIT.ok
  }
  const width = Math.max(...CLIENT_RULES.map(({ id }) => id.length))
  for (const { id, statement } of CLIENT_RULES) io.stdout(`${id.padEnd(width)}  ${statement}`)
  return EXIT.ok
}

function summary(followed: Followed, rules: readonly string[]): string {
  const { findings, cases } = followed
  const broken = brokenRules(followed, rules)
  const held = rules.filter((rule) => !broken.includes(rule) && (cases[rule] ?? 0) > 0).length
  const idle = rules.length - broken.length - held
  const count = `${findings.length} finding${findings.length === 1 ? '' : 's'}`
  const again = broken.filter((broke) => findings.every(({ rule }) => rule !== broke))
  const whichAgain = again.length === 0 ? '' : `; told before, and still broken: ${again.join(', ')}`
  return `${count}: of ${rules.length} rules ${broken.length} were broken, ${held} held, ${idle} were not at stake${whichAgain}`
}

/** Also those broken by clients that go on with what was found just before. */
function brokenRules({ findings, breaches }: Followed, rules: readonly string[]): readonly string[] {
  return rules.filter((id) => (breaches[id] ?? 0) > 0 || findings.some(({ rule }) => rule === id))
}

const FOR_MS_MAX = 24 * 60 * 60 * 1000

function forMsOf(text: string): number {
  let ms = Number.NaN
  try {
    ms = durationMs(text)
  } catch {
    // Told below, with what is too long.
  }
  if (ms <= FOR_MS_MAX) return ms
  throw new BreakwaterError(`--for ${JSON.stringify(text)}: expected a duration up to 24h`, {
    hint: 'Such as 60s, 1m30s or 500ms.',
  })
}

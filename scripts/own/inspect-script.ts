import { execFile } from 'node:child_process'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { OWN_PREFIX } from '../../contract/run.ts'
import { k6Env } from '../k6/k6-args.ts'
import { durationMs } from '../k6/k6-words.ts'

const LINE_LENGTH_MAX = 1000

/**
 * The first different lines of a text that k6 printed, as part of a message. A script prints whatever it likes, so each line says
 * who wrote it.
 */
export function k6Lines(text: string, linesMax: number): string[] {
  const different = [...new Set(text.split(/[\r\n]+/).filter((line) => line.trim() !== ''))]
  return different.slice(0, linesMax).map((line) => `  k6: ${cut(line)}`)
}

function cut(line: string): string {
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line
}

export type ScriptFacts = {
  /** What a client sees where each of its own rules holds. */
  rules: Readonly<Record<string, string>>
  vusMax: number
  /** Of all its scenarios together, with the time they have for their end. */
  durationMs: number
}

const INSPECT_MS_MAX = 30_000

const ownRule = z
  .string()
  .regex(
    /^own(\.[a-z0-9-]+)+$/,
    `expected an id such as ${OWN_PREFIX}pools.listed-reads: small letters, digits, hyphens`,
  )

const inspectedSchema = z.object({
  ext: z.object({ breakwater: z.object({ rules: z.record(ownRule, z.string().min(1)) }) }).nullish(),
  thresholds: z.record(z.string(), z.unknown()).nullish(),
  totalDuration: z.string(),
  maxVUs: z.number(),
})

/**
 * Asks k6 what a script is going to do, which reads it as a run would. Throws a BreakwaterError (usage) where k6 cannot
 * take the script, or its options are not what a run here can hold it to.
 */
export async function inspectScript(options: {
  k6: string
  script: string
  /** As the user named it. */
  shown: string
  env: NodeJS.ProcessEnv
  cwd: string
}): Promise<ScriptFacts> {
  const { shown } = options
  const { thresholds, ext, totalDuration, maxVUs } = parse(await inspect(options), shown)
  if (Object.keys(thresholds ?? {}).length > 0) {
    throw new BreakwaterError(`${shown}: options.thresholds are not judged here`, {
      hint: 'Say what has to hold as objectives (--slo FILE), or as a rule of your own.',
    })
  }
  return { rules: ext?.breakwater.rules ?? {}, vusMax: maxVUs, durationMs: durationMs(totalDuration) }
}

function parse(text: string, shown: string): z.infer<typeof inspectedSchema> {
  const parsed = inspectedSchema.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message, ...issue }) => {
    const said = issue.code === 'invalid_key' ? issue.issues.map((each) => each.message).join('; ') : message
    return `  options.${z.core.toDotPath(path)}: ${said}`
  })
  throw new BreakwaterError(`${shown}: its options do not fit:\n${problems.join('\n')}`, {
    hint: 'scenarioOptions of the kit makes them: docs/own-scenarios.md.',
  })
}

function inspect({ k6, script, shown, env, cwd }: Parameters<typeof inspectScript>[0]): Promise<string> {
  const args = [
    'inspect',
    '--execution-requirements',
    '--include-system-env-vars',
    '--log-format=raw',
    script,
  ]
  return new Promise((resolve, reject) => {
    execFile(k6, args, { env: k6Env(env), cwd, timeout: INSPECT_MS_MAX }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else if (error.code === 'ENOENT' || error.code === 'EACCES') reject(cannotStart(k6, error))
      else reject(refusal(shown, stderr, error))
    })
  })
}

function cannotStart(k6: string, cause: Error): BreakwaterError {
  return new BreakwaterError(`k6 could not be started: ${k6}`, { exitCode: EXIT.environment, cause })
}

const LINES_MAX = 8

function refusal(shown: string, stderr: string, cause: Error & { killed?: boolean }): BreakwaterError {
  const lines = cause.killed
    ? [`  it took longer than ${INSPECT_MS_MAX / 1000} s to read`]
    : k6Lines(stderr, LINES_MAX)
  return new BreakwaterError([`${shown}: k6 cannot take it:`, ...lines].join('\n'), {
    hint: 'Imports are relative and name the file with its ending; `breakwater init scenario NAME` writes a script that runs.',
    cause,
  })
}

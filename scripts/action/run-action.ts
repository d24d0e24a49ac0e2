import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { type Comparison, comparisonSchema } from '../../contract/comparison.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { validate } from '../../contract/validate.ts'
import { objectiveText, observedText } from '../../reports/objective-text.ts'
import { verdictSentence } from '../../reports/verdict-counts.ts'
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
 * mask, set or annotate otherwise. The token must be unguessable.
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

/** Writes outputs of the step to the file that the runner names; nothing if it names none. */
export function writeOutputs(outputs: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): void {
  if (!env.GITHUB_OUTPUT) return
  for (const [name, value] of Object.entries(outputs)) {
    const mark = randomUUID() // no value can hold it
    appendFileSync(env.GITHUB_OUTPUT, `${name}<<${mark}\n${value}\n${mark}\n`)
  }
}

/** Adds Markdown to the job's summary, cut at a line if it is too long to be shown. */
function writeSummary(markdown: string, env: NodeJS.ProcessEnv, bytesMax = SUMMARY_BYTES_MAX): void {
  if (!env.GITHUB_STEP_SUMMARY) return
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${cutAtLine(markdown, bytesMax)}\n`)
}

function cutAtLine(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  const end = bytes.lastIndexOf('\n', bytesMax)
  return `${bytes.subarray(0, Math.max(end, 0)).toString()}\n\nThe rest is in the report, which is kept with the run.`
}

const NAMED_MAX = 5

/** Annotations of a run on a pull request: an error for each failure, at most `errorsMax`, and one warning for what is inconclusive. */
export function reportAnnotations(report: Report, errorsMax: number): Annotation[] {
  const { rules, slo, exitCode, job } = report
  const failedRules = rules.filter(({ verdict, waiver }) => verdict === 'fail' && waiver === null)
  const failures = exitCode === 0 ? [] : [...failedRules.map(ruleError), ...objectiveErrors(slo)]
  const open = rules.filter(({ verdict }) => verdict === 'inconclusive').map(({ id }) => id)
  const errors =
    failures.length === 0 && exitCode !== 0
      ? [error(`${job}: ${report.verdict}`, verdictSentence(report))]
      : bounded(failures, errorsMax)
  if (open.length === 0) return errors
  const named = open.slice(0, NAMED_MAX).join(', ')
  const more = open.length > NAMED_MAX ? ` and ${open.length - NAMED_MAX} more` : ''
  const title = `${open.length} of ${rules.length} rules are left open`
  return [...errors, { kind: 'warning', title, message: `${named}${more}: the report says why.` }]
}

/** The same of a comparison: an error for each figure that got worse. */
export function comparisonAnnotations(
  { differences, exitCode, verdict }: Comparison,
  errorsMax: number,
): Annotation[] {
  const worse = differences
    .filter((difference) => difference.verdict === 'worse')
    .map(({ name, routeGroup, metric, reason }) =>
      error(`${metric} of ${name ?? (routeGroup === '*' ? 'the run' : routeGroup)}: worse`, reason),
    )
  if (worse.length === 0 && exitCode !== 0) return [error(`compare: ${verdict}`, 'The report says why.')]
  return bounded(worse, errorsMax)
}

function ruleError({ id, expected, observed }: Report['rules'][number]): Annotation {
  return error(`${id}: failed`, `expected: ${expected}\nobserved: ${observed}`)
}

function objectiveErrors(slo: Report['slo']): Annotation[] {
  return (slo?.objectives ?? [])
    .filter(({ verdict }) => verdict === 'fail')
    .map((objective) => error('objective: failed', `${objectiveText(objective)}: ${observedText(objective)}`))
}

function error(title: string, message: string): Annotation {
  return { kind: 'error', title, message }
}

function bounded(errors: readonly Annotation[], errorsMax: number): Annotation[] {
  const left = errors.length - errorsMax
  if (left <= 0) return [...errors]
  const message = `${left} more are in the job's summary and in the report.`
  return [...errors.slice(0, errorsMax), { kind: 'notice', title: `${errors.length} failures`, message }]
}

/** The commands that end with a verdict, and what each is on the command line. */
const COMMANDS = {
  smoke: { argv: ['smoke'], takes: ['target', 'waivers'] },
  run: { argv: ['run'], takes: ['target'] },
  repro: { argv: ['repro', 'run'], takes: ['target'] },
  capacity: { argv: ['capacity'], takes: ['target'] },
  load: { argv: ['load'], takes: ['target'] },
  k8s: { argv: ['k8s', 'run'], takes: ['target'] },
  compare: { argv: ['compare'], takes: [] },
} as const satisfies Record<string, { argv: readonly string[]; takes: readonly ('target' | 'waivers')[] }>

/** The run folder is the action's own, and it reads the report itself. */
const OWN_OPTION = /^(-o.*|--(output|json)(=.*)?)$/s

export type ActionInputs = {
  command: string
  /** Empty if omitted; so is the next. */
  target: string
  waivers: string
  /** An argument a line, as it is: no shell reads it. */
  arguments: string
}

/** Builds the command line from the inputs of the action. Throws a BreakwaterError (usage) if they name no command. */
export function actionArgv(inputs: ActionInputs, out: string): string[] {
  const command = Object.entries(COMMANDS).find(([name]) => name === inputs.command)?.[1]
  if (command === undefined) {
    throw unknownName(`command: unknown command ${JSON.stringify(inputs.command)}`, {
      name: inputs.command,
      names: Object.keys(COMMANDS),
      listed: 'examples/README.md lists all inputs and commands of the action.',
    })
  }
  const options = (['target', 'waivers'] as const).flatMap((name) => {
    if (inputs[name] === '') return []
    if ((command.takes as readonly string[]).includes(name)) return [`--${name}=${inputs[name]}`]
    throw new BreakwaterError(`${name}: ${inputs.command} does not take this input`, {
      hint: 'Remove the input.',
    })
  })
  const own = inputs.arguments
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const wrong = own.find((word) => OWN_OPTION.test(word))
  if (wrong !== undefined) {
    throw new BreakwaterError(`arguments: ${wrong} is set by the action`, {
      hint: 'The run folder is the output `run-folder`, and is kept as the artifact.',
    })
  }
  return [...command.argv, ...options, `--output=${out}`, ...own]
}

const ANNOTATIONS_DEFAULT = 10

export type ActionOptions = {
  /** Environment of the step, with the inputs as action.yml names them. */
  env: NodeJS.ProcessEnv
  /** A line of the log. */
  log: (line: string) => void
  /** Runs Breakwater to completion with live output; returns its exit code and the last lines of its stderr. */
  run: (argv: readonly string[]) => Promise<{ exitCode: number; errorLines: readonly string[] }>
}

/** The main step of the action: runs the command, then writes outputs, summary and annotations. Returns the exit code. */
export async function runAction({ env, log, run }: ActionOptions): Promise<number> {
  const { annotations: errorsMax, ...inputs } = readInputs(env)
  const out = join(mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'breakwater-')), 'run')
  const argv = actionArgv(inputs, out)
  const { begin, end } = unheeded(randomUUID())
  log(begin)
  const { exitCode, errorLines } = await run(argv).finally(() => log(end))

  const results = readResults(out)
  const [first] = results
  const outputs = {
    'exit-code': String(exitCode),
    verdict: first?.verdict ?? '',
    report: first ? join(out, first.page) : '',
    'run-folder': existsSync(out) ? out : '',
  }
  writeOutputs(outputs, env)
  for (const { summary } of results) writeSummary(summary, env)
  const annotations = first
    ? results.flatMap((result) => result.annotations(errorsMax))
    : withoutReport(exitCode, errorLines)
  for (const annotation of annotations) log(annotationLine(annotation))
  return exitCode
}

const inputsSchema = z.object({
  command: z.string().trim(),
  target: z.string().trim(),
  waivers: z.string().trim(),
  arguments: z.string(),
  annotations: z
    .string()
    .trim()
    .regex(/^([0-9]|[1-4][0-9]|50)?$/, 'expected a whole number from 0 to 50')
    .transform((text) => (text === '' ? ANNOTATIONS_DEFAULT : Number(text))),
})

function readInputs(env: NodeJS.ProcessEnv) {
  const named = Object.keys(inputsSchema.shape).map((name) => [
    name,
    env[`BREAKWATER_INPUT_${name.toUpperCase()}`] ?? '',
  ])
  const { data, problems } = validate(inputsSchema, Object.fromEntries(named))
  if (problems === null) return data
  throw new BreakwaterError(problems.join('\n'), { hint: 'See the inputs in action.yml.' })
}

type Result = {
  verdict: string
  /** The file that people look at. */
  page: string
  summary: string
  annotations: (errorsMax: number) => Annotation[]
}

/** Contents of the run folder: a run with or without a comparison with an older one, or a comparison alone. */
function readResults(out: string): Result[] {
  const read = (name: string) => readIfExists(join(out, name))
  const report = read(RUN_FILES.reportJson)
  const comparison = read(RUN_FILES.comparisonJson)
  return [
    ...(report === undefined ? [] : [runResult(report, read(RUN_FILES.summary))]),
    ...(comparison === undefined ? [] : [comparisonResult(comparison, read(RUN_FILES.comparisonMd))]),
  ]
}

function runResult(text: string, summary = ''): Result {
  const report = reportSchema.parse(JSON.parse(text))
  const annotations = (errorsMax: number) => reportAnnotations(report, errorsMax)
  return { verdict: report.verdict, page: RUN_FILES.reportHtml, summary, annotations }
}

function comparisonResult(text: string, summary = ''): Result {
  const comparison = comparisonSchema.parse(JSON.parse(text))
  const annotations = (errorsMax: number) => comparisonAnnotations(comparison, errorsMax)
  return { verdict: comparison.verdict, page: RUN_FILES.comparisonHtml, summary, annotations }
}

function withoutReport(exitCode: number, errorLines: readonly string[]): Annotation[] {
  if (exitCode === EXIT.ok) return []
  const message = errorLines.join('\n') || 'The log says why.'
  return [{ kind: 'error', title: `Breakwater exited with ${exitCode}, without a report`, message }]
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

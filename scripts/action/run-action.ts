import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { comparisonSchema } from '../../contract/comparison.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { actionArgv } from './action-argv.ts'
import { comparisonAnnotations, reportAnnotations } from './annotations.ts'
import { writeOutputs, writeSummary } from './step-files.ts'
import { type Annotation, annotationLine, unheeded } from './workflow-command.ts'

const ANNOTATIONS_DEFAULT = 10

export type ActionOptions = {
  /** Of the step: the inputs are in it, as action.yml names them. */
  env: NodeJS.ProcessEnv
  /** A line of the log. */
  tell: (line: string) => void
  /** Runs Breakwater to its end, all of its output as it comes; answers its exit code and the last lines of its stderr. */
  run: (argv: readonly string[]) => Promise<{ exitCode: number; errorLines: readonly string[] }>
}

/** The main step of the action: runs the command, then tells outputs, summary and annotations. Answers the exit code. */
export async function runAction({ env, tell, run }: ActionOptions): Promise<number> {
  const { annotations: errorsMax, ...inputs } = readInputs(env)
  const out = join(mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'breakwater-')), 'run')
  const argv = actionArgv(inputs, out)
  const { begin, end } = unheeded(randomUUID())
  tell(begin)
  const { exitCode, errorLines } = await run(argv).finally(() => tell(end))

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
  for (const annotation of annotations) tell(annotationLine(annotation))
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
  const parsed = inputsSchema.safeParse(Object.fromEntries(named))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new BreakwaterError(problems.join('\n'), { hint: 'See the inputs in action.yml.' })
}

type Result = {
  verdict: string
  /** The file that people look at. */
  page: string
  summary: string
  annotations: (errorsMax: number) => Annotation[]
}

/** What the run folder says: of a run, and of its comparison with an older one, or of a comparison alone. */
function readResults(out: string): Result[] {
  const read = (name: string) => readIfThere(join(out, name))
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
  return [{ kind: 'error', title: `Breakwater ended with ${exitCode}, without a report`, message }]
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join, relative, resolve, sep } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { describeJudgment } from '../../contract/client-judgments.ts'
import { CLIENT_RULES, type ClientRuleId } from '../../contract/client-rules.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { EXAMINATION, type Examination, type ExaminationRun, examine } from '../../hunt/examination.ts'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { buildStatement, type ExaminedClient, type Statement } from '../../hunt/statement.ts'
import { type JunitCase, junitText } from '../../reports/junit-text.ts'
import { escapeMarkdown, visibleLine } from '../../reports/visible.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { type GivenClient, withRunner } from '../hunt/run-external.ts'
import { throwIfInterrupted } from '../io.ts'
import { entryText } from '../journal-entry-text.ts'
import { makeFolder } from '../make-folder.ts'
import { openOutputFile } from '../output-file.ts'
import { VERSION } from '../project.ts'
import { matchRules } from '../smoke/plan.ts'
import { PLAIN, paintFor, type TerminalPaint } from '../terminal-text.ts'

export type CertifyOptions = Omit<GivenClient, 'isExamined'> & {
  clientName?: string
  clientVersion?: string
  rules: string
  output: string
  world: string
  seed: number
  choices: ChoiceSetName
  json?: true
}

const FILES = { statement: 'statement.json', badge: 'badge.md', junit: 'junit.xml' } as const

/**
 * Returns 1 if the client violated a rule, 4 if the situation of a rule did not arise, else 0. Throws a
 * BreakwaterError: usage for a bad option, environment if the client does not work without faults.
 */
export async function runCertify(
  options: CertifyOptions,
  examination: Examination = EXAMINATION,
): Promise<ExitCode> {
  const { io, world, seed, choices, output } = options
  loadWorldFixture(world)
  const rules = matchRules(options.rules, CLIENT_RULES, 'observe')
  const client = await identifyClient(options)
  const folder = resolve(io.cwd, output)
  await makeFolder(folder, { hint: 'Name another folder with --output.' })
  const open = (name: string) =>
    openOutputFile({ file: join(folder, name), shown: join(output, name), interrupted: io.interrupted })
  const files = {
    statement: await open(FILES.statement),
    badge: await open(FILES.badge),
    junit: await open(FILES.junit),
  }
  try {
    const time = new Date().toISOString()
    const huntWorld = huntWorldSchema.parse({ world, seed, choices })
    const runs = await withRunner({ ...options, isExamined: true }, [huntWorld], (run, parallel) => {
      const planned = examination.map(({ name, durationMs }) => `${name} ${durationMs / 1000} s`)
      io.log(
        `schedules: ${planned.join(', ')}; the first runs alone, then up to ${parallel} at the same time`,
      )
      return examine({
        run: async (...given) => {
          const result = await run(...given)
          throwIfInterrupted(io.interrupted, 'interrupted before the examination was complete')
          return result
        },
        world: huntWorld,
        parallel,
        examination,
        onProgress: ({ done, of, exercised }) =>
          io.status([
            `${done} of ${of} schedules done`,
            `${exercised} of ${CLIENT_RULES.length} client rules exercised`,
          ]),
      })
    })
    io.status(null)
    const statement = buildStatement({
      client,
      rules,
      runs,
      examination,
      world: huntWorld,
      breakwater: VERSION,
      time,
    })
    files.statement.write(`${JSON.stringify(statement, null, 2)}\n`)
    files.badge.write(`${badge(statement)}\n`)
    files.junit.write(certifyJunit(statement))
    for (const file of Object.values(files)) file.finish()
    if (options.json) io.document(JSON.stringify(statement, null, 2))
    else for (const line of statementText({ statement, runs, output, paint: paintFor(io) })) io.stdout(line)
    return EXITS[statement.predicate.result]
  } finally {
    for (const file of Object.values(files)) file.discard()
  }
}

const EXITS = { pass: EXIT.ok, fail: EXIT.failed, inconclusive: EXIT.inconclusive } as const

const WORD = /'([^']*)'|"([^"]*)"|(\S+)/g

/** The file is the first one in the working folder whose path the command contains, except installed packages. */
async function identifyClient({
  io,
  client: command = '',
  clientName,
  clientVersion,
}: CertifyOptions): Promise<ExaminedClient> {
  const words = [...command.matchAll(WORD)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
  const cwd = realpathSync(io.cwd)
  const [shown] = words.flatMap((word) => findOwnFile(word, cwd) ?? [])
  const name = clientName ?? (shown && basename(shown, extname(shown)))
  if (name === undefined)
    throw new BreakwaterError(
      '--client-name is required, because --client contains no path of a file in the working folder',
      {
        hint: 'The statement needs a name for the client, such as --client-name my-bot.',
      },
    )
  const file = shown === undefined ? null : { shown, content: await readFile(join(cwd, shown)) }
  return { name, version: clientVersion ?? null, file }
}

function findOwnFile(word: string, cwd: string): string | undefined {
  try {
    const file = realpathSync(resolve(cwd, word))
    const path = relative(cwd, file)
    const isOwn = !path.startsWith('..') && !path.split(sep).includes('node_modules')
    return isOwn && statSync(file).isFile() ? path : undefined
  } catch {
    return undefined
  }
}

type Duty = Statement['predicate']['duties'][number]
type Finding = Statement['predicate']['findings'][number]

function select({ predicate }: Statement, verdict: Duty['verdict']): readonly Duty[] {
  return predicate.duties.filter((duty) => duty.verdict === verdict)
}

/** One line of Markdown, for a README. */
function badge(statement: Statement): string {
  const { subject, predicate } = statement
  const [passed, failed, all] = [select(statement, 'pass'), select(statement, 'fail'), predicate.duties]
  const name = escapeMarkdown(subject[0]?.name ?? '', 200)
  const failures = failed.length > 0 ? `, ${failed.length} failed` : ''
  return `[**${name}**: ${passed.length} of ${all.length} client rules passed${failures}, specification ${predicate.specification}, ${predicate.time.slice(0, 10)}](${FILES.statement})`
}

function statementText(options: {
  statement: Statement
  runs: readonly ExaminationRun[]
  output: string
  paint: TerminalPaint
}): string[] {
  const { statement, runs, output, paint } = options
  const { duties, findings } = statement.predicate
  const idle = select(statement, 'not exercised')
  const exits = runs.flatMap(({ name, clientEnd }) => (clientEnd === null ? [] : [`${name}: ${clientEnd}`]))
  return [
    ...findings.flatMap((finding) => findingText(finding, paint)),
    ...idle.map(({ rule }) => `${paint.yellow('not exercised')}  ${rule}: ${situationOf(rule)}`),
    ...exits.map((exit) => `the client failed in the schedule ${visibleLine(exit)}`),
    `${duties.length} client rules: ${select(statement, 'pass').length} passed, ${select(statement, 'fail').length} failed, ${idle.length} not exercised`,
    `${statement.predicate.result}: ${Object.values(FILES)
      .map((name) => visibleLine(join(output, name)))
      .join(', ')}`,
  ]
}

const EVIDENCE_MAX = 8

function findingText({ rule, schedule, client, observed, advice, evidence }: Finding, paint: TerminalPaint) {
  return [
    `${paint.red(rule)}  ${visibleLine(client)}, in the schedule ${schedule}`,
    `  observed  ${visibleLine(observed)}`,
    `  fix       ${visibleLine(advice)}`,
    ...evidence.slice(-EVIDENCE_MAX).map((entry) => `  journal   ${visibleLine(entryText(entry))}`),
  ]
}

function situationOf(rule: string): string {
  return describeJudgment(rule as ClientRuleId).situation // as: the statement has only client rules
}

/** One test case for each rule: failed with its findings, passed, or skipped if it was not exercised. */
function certifyJunit(statement: Statement): string {
  const { duties, findings, time } = statement.predicate
  const cases = duties.map(({ rule, verdict, situations }): JunitCase => {
    const common = { className: 'client', name: rule }
    if (verdict === 'pass') return { ...common, outcome: undefined }
    if (verdict === 'not exercised') {
      const message =
        situations === 0
          ? 'not exercised'
          : `not exercised to the end: ${situations} situations, none of them handled`
      return { ...common, outcome: { element: 'skipped', message, detail: situationOf(rule) } }
    }
    const found = findings.filter((finding) => finding.rule === rule)
    const detail = found.flatMap((finding) => findingText(finding, PLAIN)).join('\n')
    return { ...common, outcome: { element: 'failure', message: found[0]?.observed ?? 'violated', detail } }
  })
  return junitText({ name: 'breakwater certify', suites: [{ name: 'rules', timestamp: time, cases }] })
}

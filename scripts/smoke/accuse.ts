import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../simulator/choices/choices.ts'
import type { Mutant } from '../../simulator/mutants/mutants.ts'
import { runCli } from '../cli.ts'

export type Accusation = {
  exitCode: ExitCode
  /** The rules that the run reports as broken. */
  accused: string[]
  report: Report
  /** What is wrong with the run, if anything. */
  problem: string | undefined
}

/**
 * Runs the whole catalogue against a mutant (or the stub as it is) and says whether the verdict is right: exit 1, a rule
 * that the mutant declares, and none that it does not.
 */
export async function accuse(
  mutant: Mutant | null,
  { choices = 'plain' }: { choices?: ChoiceSetName } = {},
): Promise<Accusation> {
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-mutant-'))
  const out = join(dir, 'run')
  try {
    let told = ''
    const exitCode = await runCli({
      argv: [
        ...['smoke', '--no-load', '--choices', choices, '--out', out],
        ...(mutant ? ['--mutant', mutant.name] : ['--strict']),
      ],
      env: process.env,
      cwd: dir,
      stdout: () => {},
      stderr: (text) => {
        told += text
      },
      isTerminal: false,
      interrupted: new AbortController().signal,
    })
    const text = await readFile(join(out, RUN_FILES.reportJson), 'utf8').catch(() => {
      throw new Error(`the run wrote no report: ${told}`)
    })
    const report = reportSchema.parse(JSON.parse(text))
    const accused = report.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
    return { exitCode, accused, report, problem: whatIsWrong({ mutant, exitCode, accused }) }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function whatIsWrong({
  mutant,
  exitCode,
  accused,
}: {
  mutant: Mutant | null
  exitCode: ExitCode
  accused: readonly string[]
}): string | undefined {
  const declared = mutant?.rules ?? []
  const wrongly = accused.filter((rule) => !declared.includes(rule))
  if (wrongly.length > 0) return `wrongly accused: ${wrongly.join(', ')}`
  if (mutant && accused.length === 0) return 'not detected'
  const expected = mutant ? EXIT.failed : EXIT.ok
  return exitCode === expected ? undefined : `exit code ${exitCode}, expected ${expected}`
}

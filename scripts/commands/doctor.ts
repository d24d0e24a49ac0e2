import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Finding, findingLines } from '../doctor/finding.ts'
import { lookAtMachine, lookAtTarget } from '../doctor/look.ts'
import { checkMachine } from '../doctor/machine-checks.ts'
import { checkTarget } from '../doctor/target-checks.ts'
import { type Io, orInterrupted } from '../io.ts'
import { readProfile } from '../target/target-files.ts'
import { paintFor } from '../terminal-text.ts'

export type DoctorOptions = { io: Io; target?: string; json?: true }

/** Prints every finding. Returns 3 if there is a problem, otherwise 0. Throws a BreakwaterError only if interrupted. */
export async function runDoctor({ io, target, json }: DoctorOptions): Promise<ExitCode> {
  const findings = await orInterrupted(io.interrupted, examine({ io, target }))
  const verdict = (['problem', 'warning'] as const).find((worst) => has(findings, worst)) ?? 'ok'
  if (json) io.document(JSON.stringify({ verdict, platform: process.platform, checks: findings }, null, 2))
  else for (const line of findingLines(findings, paintFor(io))) io.stdout(line)
  return verdict === 'problem' ? EXIT.environment : EXIT.ok
}

async function examine({ io, target }: { io: Io; target: string | undefined }): Promise<Finding[]> {
  const [machine, ofTarget] = await Promise.all([
    lookAtMachine(io).then(checkMachine),
    target === undefined ? [] : examineTarget(target, io),
  ])
  return [...machine, ...ofTarget]
}

async function examineTarget(target: string, io: Io): Promise<Finding[]> {
  try {
    const from = await readProfile(target, io)
    const profile: Finding = { check: 'profile', verdict: 'ok', saw: `${target}: ${from.profile.name}` }
    return [profile, ...checkTarget(await lookAtTarget(from, io.env))]
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const { message, hint } = error
    return [
      { check: 'profile', verdict: 'problem', saw: message, ...(hint ? { remedy: { text: hint } } : {}) },
    ]
  }
}

function has(findings: readonly Finding[], verdict: Finding['verdict']): boolean {
  return findings.some((finding) => finding.verdict === verdict)
}

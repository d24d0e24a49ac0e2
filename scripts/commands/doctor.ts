import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Finding, findingLines } from '../doctor/finding.ts'
import { lookAtMachine, lookAtTarget } from '../doctor/look.ts'
import { checkMachine } from '../doctor/machine-checks.ts'
import { checkTarget } from '../doctor/target-checks.ts'
import { type Io, orInterrupted } from '../io.ts'
import { mustBeHosts, mustHaveTarget } from '../target/permission.ts'
import { type ProfileFile, readProfile } from '../target/target-files.ts'
import { paintFor } from '../terminal-text.ts'

export type DoctorOptions = {
  io: Io
  target?: string
  signIn?: true
  confirm?: readonly string[]
  json?: true
}

/**
 * Prints every finding. Returns 3 if there is a problem, otherwise 0. Throws a BreakwaterError: usage for options that need
 * another and for a host that is not the target's, and if interrupted.
 */
export async function runDoctor({ io, json, ...options }: DoctorOptions): Promise<ExitCode> {
  mustHaveTarget(options)
  if (options.signIn && options.target === undefined) {
    throw new BreakwaterError('--sign-in requires --target', {
      hint: 'Pass the profile of the target with --target.',
    })
  }
  if (options.confirm !== undefined && !options.signIn) {
    throw new BreakwaterError('--confirm requires --sign-in', {
      hint: 'Omit --confirm: without --sign-in, nothing is changed at the target.',
    })
  }
  const findings = await orInterrupted(io.interrupted, examine({ io, ...options }))
  const verdict = (['problem', 'warning'] as const).find((worst) => has(findings, worst)) ?? 'ok'
  if (json) io.document(JSON.stringify({ verdict, platform: process.platform, checks: findings }, null, 2))
  else for (const line of findingLines(findings, paintFor(io))) io.stdout(line)
  return verdict === 'problem' ? EXIT.environment : EXIT.ok
}

async function examine({ io, target, ...options }: DoctorOptions): Promise<Finding[]> {
  const [machine, ofTarget] = await Promise.all([
    lookAtMachine(io).then(checkMachine),
    target === undefined ? [] : examineTarget(target, { io, ...options }),
  ])
  return [...machine, ...ofTarget]
}

async function examineTarget(
  target: string,
  { io, ...options }: Omit<DoctorOptions, 'target'>,
): Promise<Finding[]> {
  let from: ProfileFile
  try {
    from = await readProfile(target, io)
  } catch (error) {
    return [profileProblem(error)]
  }
  mustBeHosts(options.confirm ?? [], [from.profile])
  const profile: Finding = { check: 'profile', verdict: 'ok', saw: `${target}: ${from.profile.name}` }
  try {
    return [profile, ...checkTarget(await lookAtTarget(from, io.env, options))]
  } catch (error) {
    return [profileProblem(error)]
  }
}

/** Throws any error that is not a BreakwaterError. */
function profileProblem(error: unknown): Finding {
  if (!(error instanceof BreakwaterError)) throw error
  const { message, hint } = error
  return { check: 'profile', verdict: 'problem', saw: message, ...(hint ? { remedy: { text: hint } } : {}) }
}

function has(findings: readonly Finding[], verdict: Finding['verdict']): boolean {
  return findings.some((finding) => finding.verdict === verdict)
}

import { isLoopback } from '../../contract/is-loopback.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { SmokePlan } from './plan.ts'

/** What a target is in for, told before anything is sent to it. The stub is nobody's. */
export function announce(
  plan: Pick<SmokePlan, 'target' | 'requestsMax' | 'durationSecondsMax' | 'refuses' | 'mix'>,
): string[] {
  if (plan.target === null) return []
  const { profile, controlToken } = plan.target
  const { writes, load } = plan.refuses
  const loads = plan.mix === null ? 'no' : `the mix ${plan.mix.name}, ${plan.mix.durationSeconds} s`
  return [
    `target ${profile.name}: ${profile.baseUrl}`,
    `  at most ${plan.requestsMax} requests, and ${plan.durationSecondsMax} s`,
    `  changes: ${writes === null ? 'yes: signs in, makes sessions and tokens, and ends them' : `no: ${writes}`}`,
    `  load: ${load === null ? loads : `no: ${load}`}`,
    ...(profile.control === null ? [] : [controlLine(controlToken !== null)]),
    ...(isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// shows credentials to the network']),
  ].map((line) => visibleLine(line))
}

function controlLine(used: boolean): string {
  return used
    ? '  control API: its clock is moved, and put back; nobody else should use the target meanwhile'
    : '  control API: not used, as BREAKWATER_CONTROL_TOKEN is not set or changes are refused; time passes by waiting'
}

import type { Judged } from './finding.ts'
import type { MachineFacts } from './machine-facts.ts'

/** The wall clock may be slowed or hurried by a service that keeps time, by at most 500 parts in a million; not set. */
const JUMP_MS = 20
/** Before this was written. */
const EARLIEST = Date.parse('2025-01-01')

/** Whether the wall clock goes as the monotonic one does: timestamps of a run that it leaps in are of no use. */
export function checkClock({ clock, platform }: Pick<MachineFacts, 'clock' | 'platform'>): Judged {
  const { wallMs, steadyMs, now } = clock
  const seconds = (steadyMs / 1000).toFixed(1)
  const remedy = {
    text: 'Let a service keep the time.',
    command: platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true',
  }
  if (now.getTime() < EARLIEST) {
    return {
      verdict: 'problem',
      saw: `it says ${now.toISOString()}: certificates and sessions are judged by it`,
      remedy,
    }
  }
  const jumpMs = Math.round(wallMs - steadyMs)
  if (Math.abs(jumpMs) <= JUMP_MS) {
    return { verdict: 'ok', saw: `steady: wall clock and monotonic clock agreed for ${seconds} s` }
  }
  return {
    verdict: 'warning',
    saw: `the wall clock went ${Math.abs(jumpMs)} ms ${jumpMs > 0 ? 'too far' : 'too short'} within ${seconds} s: it was set, or the machine slept`,
    remedy,
  }
}

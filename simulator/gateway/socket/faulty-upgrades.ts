import type { Duplex } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { UpgradeAction } from '../../faults/hooks.ts'
import type { BareResponse } from '../../http/bare-response.ts'

/** An upgrade that opened no socket; without a response, `status` and `code` are null. */
export type FailedUpgrade = {
  remoteAddress: string
  userAgent: string
  arrivedMs: number
  outcome: 'rejected' | 'hang' | 'reset'
  status: number | null
  code: string | null
  retryAfterMs: number | null
}

export type UpgradeOutcome = Pick<FailedUpgrade, 'outcome'> &
  Partial<Pick<FailedUpgrade, 'status' | 'code' | 'retryAfterMs'>>

/** Upgrades under faults: rejected, delayed, left without a response, or cut. */
type FaultyUpgrades = {
  /** Calls `open` now or later, unless a fault prevents it. */
  handle(upgrade: {
    stream: Duplex
    userAgent: string
    open: () => void
    report: (outcome: UpgradeOutcome) => void
  }): void
  close(): void
}

export function createFaultyUpgrades(options: {
  faults: Pick<Faults, 'hooks'>
  clock: Clock
  sync: () => void
  refuse(stream: Duplex, response: BareResponse): void
  reset(stream: Duplex): void
}): FaultyUpgrades {
  const { faults, clock, sync, refuse, reset } = options
  const waiting = new Set<Duplex>()
  let count = 0

  /** An error while waiting closes the stream. */
  const wait = (stream: Duplex, ms: number, then: () => void) => {
    waiting.add(stream)
    const onError = () => stream.destroy()
    const onClose = () => {
      waiting.delete(stream)
      timer.cancel()
    }
    const timer = clock.after(ms, () => {
      waiting.delete(stream)
      stream.off('error', onError).off('close', onClose)
      then()
    })
    stream.once('error', onError).once('close', onClose)
  }

  return {
    handle({ stream, userAgent, open, report }) {
      count++
      if (faults.hooks.upgrade === null) return open()
      sync()
      const { waitMs, last } = combineActions(faults.hooks.upgrade, { number: count, userAgent })
      const act = () => {
        if (!last) open()
        else if (last.do === 'respond') {
          report({ outcome: 'rejected', ...last, retryAfterMs: parseSeconds(last.headers['Retry-After']) })
          refuse(stream, last)
        } else if (last.do === 'hang') {
          stream.once('close', () => report({ outcome: 'hang' }))
          // Otherwise, a client that leaves goes unnoticed until the timeout.
          stream.once('end', () => stream.destroy()).resume()
          wait(stream, last.ms, () => stream.destroy())
        } else {
          report({ outcome: 'reset' })
          reset(stream)
        }
      }
      if (waitMs > 0) wait(stream, waitMs, act)
      else act()
    },
    close() {
      for (const stream of waiting) stream.destroy()
    },
  }
}

/** Faults give `Retry-After` in seconds. */
function parseSeconds(text: string | undefined): number | null {
  return text === undefined ? null : Number(text) * 1000
}

type LastAction = Exclude<UpgradeAction, { do: 'delay' }>

/** Adds up delays until a fault does something else. */
function combineActions(
  hooks: NonNullable<Faults['hooks']['upgrade']>,
  context: { number: number; userAgent: string },
): { waitMs: number; last?: LastAction } {
  let waitMs = 0
  for (const hook of hooks) {
    const action = hook(context)
    if (action?.do === 'delay') waitMs += action.ms
    else if (action) return { waitMs, last: action }
  }
  return { waitMs }
}

import type { Tools } from '../../../client/time-and-chance.ts'

/** Fewer or closer attempts would not prove that an error persists. */
export const TRIES_MIN = 4
export const SPREAD_MS_MIN = 5000
/** Slightly over a third of the spread, because timers may fire a millisecond early. */
const GAP_MS = Math.ceil(SPREAD_MS_MIN / (TRIES_MIN - 1)) + 20

/** Three such gaps are longer than a replica lags behind and a list is cached, together. */
export const CATCH_UP_GAP_MS = 10_500

/** Result of a known-good request or socket between the attempts. */
type Saw = { served: boolean; explanation: string }

export type Persistence<Seen> = {
  /** `gone`: an attempt without error. `open`: neither persistent nor gone. */
  outcome: 'persistent' | 'gone' | 'open'
  /** The last attempt that counts. */
  last: Seen
  /** Attempts and witnesses with their times, or why it stays open; for evidence. */
  explanation: string
}

/**
 * Distinguishes persistent from transient errors: repeats a failed attempt until there were four over at
 * least 5 s, each on schedule whatever the duration of the previous one. Persistent means that all ended in
 * the same error, and a witness before each repeat was served; a failing witness means that anything may
 * fail. If the first attempt has no error, the outcome is `gone`.
 */
export function confirmPersistence<Seen>(options: {
  first: Seen
  /** Describes the error of an attempt; equal texts mean the same error. Undefined without an error. */
  describeError: (seen: Seen) => string | undefined
  again: () => Promise<Seen>
  witness: () => Promise<Saw>
  tools: Pick<Tools, 'nowMs' | 'pause'>
  /** Wait between attempts that the target requested, or that lets replicas catch up. */
  serverWaitMs?: number
}): Promise<Persistence<Seen>> {
  const { first, describeError, again, witness, tools, serverWaitMs = 0 } = options
  const startedMs = tools.nowMs()
  const gapMs = Math.max(GAP_MS, serverWaitMs)
  const error = describeError(first)
  if (error === undefined) return Promise.resolve({ outcome: 'gone', last: first, explanation: '' })
  const at = () => `+${((tools.nowMs() - startedMs) / 1000).toFixed(1)} s`
  const triedAt = ['+0.0 s']
  const witnessed: string[] = []
  return new Promise((resolve, reject) => {
    let isOver = false
    let last = first
    const end = (outcome: Persistence<Seen>['outcome'], explanation: string) => {
      isOver = true
      resolve({ outcome, last, explanation })
    }
    const repeat = async (number: number) => {
      await tools.pause(number * gapMs)
      if (isOver) return
      const saw = await witness()
      if (!saw.served) return end('open', saw.explanation)
      witnessed.push(`${saw.explanation} at ${at()}`)
      const tryAt = at()
      if (isOver) return
      const seen = await again()
      if (isOver) return
      last = seen
      const found = describeError(seen)
      if (found === undefined) return end('gone', `gone at ${tryAt}`)
      if (found !== error) return end('open', `first ${error}, then ${found}`)
      triedAt.push(tryAt)
      if (triedAt.length < TRIES_MIN) return
      end(
        'persistent',
        `${error} in each of ${TRIES_MIN} attempts (${triedAt.join(', ')}), while witnesses were served: ${witnessed.join(', ')}`,
      )
    }
    const giveUp = (error: unknown) => {
      isOver = true
      reject(error)
    }
    for (let number = 1; number < TRIES_MIN; number++) repeat(number).catch(giveUp)
  })
}

const OUT_OF_TIME = 'not confirmed: the time for confirmations in this run is used up'

type Options<Seen> = Omit<Parameters<typeof confirmPersistence<Seen>>[0], 'tools'>

/** Like confirmPersistence, with a time budget shared by all calls. After it is spent, errors stay open. */
export function createConfirmWithin(budgetMs: number, tools: Pick<Tools, 'nowMs' | 'pause'>) {
  const confirming = createBusyTime(tools)
  return <Seen>(options: Options<Seen>): Promise<Persistence<Seen>> => {
    const { first, describeError } = options
    if (confirming.totalMs() >= budgetMs && describeError(first) !== undefined)
      return Promise.resolve({ outcome: 'open', last: first, explanation: OUT_OF_TIME })
    return confirming.during(() => confirmPersistence({ ...options, tools }))
  }
}

/** Time in which at least one piece of work ran; what several of them share counts once. */
export type BusyTime = {
  totalMs(): number
  during<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createBusyTime({ nowMs }: { nowMs: () => number }): BusyTime {
  let endedMs = 0
  let running = 0
  let busySinceMs = 0
  const totalMs = () => endedMs + (running === 0 ? 0 : nowMs() - busySinceMs)
  return {
    totalMs,
    async during(work) {
      if (running === 0) busySinceMs = nowMs()
      running++
      try {
        return await work()
      } finally {
        if (running === 1) endedMs = totalMs()
        running--
      }
    },
  }
}

import type { Tools } from '../../../client/time-and-chance.ts'

/** Fewer tries, or tries closer together, are no proof that an error will not pass. */
export const TRIES_MIN = 4
export const SPREAD_MS_MIN = 5000
/** A little over a third of the spread, as timers may be early by a millisecond. */
const GAP_MS = Math.ceil(SPREAD_MS_MIN / (TRIES_MIN - 1)) + 20

/** What a known-good request or socket saw between the tries: whether it was served as promised. */
type Saw = { served: boolean; told: string }

export type Persistence<Seen> = {
  /** `gone`: a try without any error; `open`: neither shown to persist nor gone. */
  outcome: 'persistent' | 'gone' | 'open'
  /** The last try that counts. */
  last: Seen
  /** The tries and the witnesses with their times, or why it stays open: for evidence. */
  told: string
}

/**
 * An error is transient only if it goes away. Repeats a try that ended in an error until there were four of them over at
 * least 5 s, each at its time, however long the one before takes. Persistent: each ended in the same error, and a witness
 * before each repeat was served. A witness that fails means that the error may befall anything. A first try without an error is gone
 * at once.
 */
export function confirmPersistence<Seen>(options: {
  first: Seen
  /** The error of a try, in words; two with the same words are the same. Undefined: none. */
  errorOf: (seen: Seen) => string | undefined
  again: () => Promise<Seen>
  witness: () => Promise<Saw>
  tools: Pick<Tools, 'nowMs' | 'pause'>
  /** How long the target asks to wait between tries. */
  toldMs?: number
}): Promise<Persistence<Seen>> {
  const { first, errorOf, again, witness, tools, toldMs = 0 } = options
  const startedMs = tools.nowMs()
  const gapMs = Math.max(GAP_MS, toldMs)
  const error = errorOf(first)
  if (error === undefined) return Promise.resolve({ outcome: 'gone', last: first, told: '' })
  const at = () => `+${((tools.nowMs() - startedMs) / 1000).toFixed(1)} s`
  const triedAt = ['+0.0 s']
  const witnessed: string[] = []
  return new Promise((resolve, reject) => {
    let isOver = false
    let last = first
    const end = (outcome: Persistence<Seen>['outcome'], told: string) => {
      isOver = true
      resolve({ outcome, last, told })
    }
    const repeat = async (number: number) => {
      await tools.pause(number * gapMs)
      if (isOver) return
      const saw = await witness()
      if (!saw.served) return end('open', saw.told)
      witnessed.push(`${saw.told} at ${at()}`)
      const tryAt = at()
      if (isOver) return
      const seen = await again()
      if (isOver) return
      last = seen
      const found = errorOf(seen)
      if (found === undefined) return end('gone', `gone at ${tryAt}`)
      if (found !== error) return end('open', `first ${error}, then ${found}`)
      triedAt.push(tryAt)
      if (triedAt.length < TRIES_MIN) return
      end(
        'persistent',
        `${error} on each of ${TRIES_MIN} tries (${triedAt.join(', ')}), while witnesses were served: ${witnessed.join(', ')}`,
      )
    }
    const giveUp = (error: unknown) => {
      isOver = true
      reject(error)
    }
    for (let number = 1; number < TRIES_MIN; number++) repeat(number).catch(giveUp)
  })
}

const OUT_OF_TIME = 'not looked into: this run has looked into too many others'

type Options<Seen> = Omit<Parameters<typeof confirmPersistence<Seen>>[0], 'tools'>

/** As confirmPersistence, within a time that all calls share; once that is spent, what has an error stays open. */
export function createConfirmWithin(budgetMs: number, tools: Pick<Tools, 'nowMs' | 'pause'>) {
  let spentMs = 0
  return async <Seen>(options: Options<Seen>): Promise<Persistence<Seen>> => {
    const { first, errorOf } = options
    if (spentMs >= budgetMs && errorOf(first) !== undefined)
      return { outcome: 'open', last: first, told: OUT_OF_TIME }
    const startedMs = tools.nowMs()
    try {
      return await confirmPersistence({ ...options, tools })
    } finally {
      spentMs += tools.nowMs() - startedMs
    }
  }
}

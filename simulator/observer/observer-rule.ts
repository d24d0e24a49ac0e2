import type { ClientRuleId } from '../../contract/client-rules.ts'
import type { Client } from './client.ts'
import type { Deadline } from './deadlines.ts'
import type {
  LostRequest,
  ObservedClose,
  ObservedFrame,
  ObservedMessage,
  ObservedRequest,
  ObservedSocket,
  RejectedUpgrade,
} from './observed.ts'

/**
 * One duty of clients, as a state machine over events of the stub. It reports three things: a situation, in which the duty
 * binds the client; that the client has handled one right; and a violation. A situation that is neither, because the client
 * is gone or has no time left to act, decides nothing.
 */
export type ObserverRule = {
  id: ClientRuleId
  /** Shown to a client that breaks the rule. */
  advice: string
  /** Called again after the world moves back, without earlier state. */
  watch(tools: RuleTools): Watch
}

export type Watch = {
  responded?(request: ObservedRequest): void
  /** Instead of `responded`: the response was cut off or never came. */
  lost?(request: LostRequest): void
  /** An upgrade was rejected, cut or left without a response. */
  rejected?(upgrade: RejectedUpgrade): void
  opened?(socket: ObservedSocket): void
  frame?(socket: ObservedSocket, frame: ObservedFrame): void
  sent?(socket: ObservedSocket, message: ObservedMessage): void
  closed?(socket: ObservedSocket, end: ObservedClose): void
}

export type RuleTools = {
  nowMs(): number
  /** Canceled when the client is forgotten. */
  after(client: Client, delayMs: number, fn: () => void): Deadline
  /** True if the clock has leapt since then, so that no client had time to act. */
  leaptSince(sinceMs: number): boolean
  /** The client, and the strangers at its addresses, which may be the same client without a credential. */
  kin(client: Client): readonly Client[]
  /** Counts a situation that is decided later: call `handled` once the client has done what the rule requires. */
  begin(): void
  handled(): void
  /** Counts a situation that is decided in this event: as handled, unless the same event reports it. */
  countCase(): void
  /** Counts and reports a violation. */
  report(client: Client, finding: { observed: string; evidence: readonly number[] }): void
}

/** State per owner: created on first use, and collected with the owner. */
export function ofEach<Owner extends object, State>(create: () => State): (owner: Owner) => State {
  const states = new WeakMap<Owner, State>()
  return (owner) => {
    const known = states.get(owner)
    if (known !== undefined) return known
    const state = create()
    states.set(owner, state)
    return state
  }
}

/** A map that deletes its oldest entry when it exceeds its maximum size. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    super()
    this.#sizeMax = sizeMax
  }

  override set(key: Key, value: Value): this {
    super.set(key, value)
    if (this.size > this.#sizeMax) {
      for (const oldest of this.keys()) {
        this.delete(oldest)
        break
      }
    }
    return this
  }
}

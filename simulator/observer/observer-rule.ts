import type { ClientRuleId } from '../../contract/client-rules.ts'
import type { Client } from './client.ts'
import type { Deadline } from './deadlines.ts'
import type {
  ObservedClose,
  ObservedFrame,
  ObservedMessage,
  ObservedRequest,
  ObservedSocket,
} from './observed.ts'

/** One duty of clients, as a state machine over what the stub sees. */
export type ObserverRule = {
  id: ClientRuleId
  /** What to do, to whoever breaks it. */
  advice: string
  /** Called anew where the world goes back: nothing of before counts then. */
  watch(tools: RuleTools): Watch
}

export type Watch = {
  answered?(request: ObservedRequest): void
  opened?(socket: ObservedSocket): void
  frame?(socket: ObservedSocket, frame: ObservedFrame): void
  sent?(socket: ObservedSocket, message: ObservedMessage): void
  /** The socket is no longer open. */
  closed?(socket: ObservedSocket, end: ObservedClose): void
}

export type RuleTools = {
  nowMs(): number
  /** Dropped with the client. */
  after(client: Client, delayMs: number, fn: () => void): Deadline
  /** Whether the clock was made to leap since then, so that nobody had time to act. */
  leaptSince(sinceMs: number): boolean
  /** The client, and the strangers at its addresses, who may be it without a credential. */
  kin(client: Client): readonly Client[]
  /** The rule is at stake: there was something to do right or wrong. */
  saw(): void
  accuse(client: Client, finding: { observed: string; evidence: readonly number[] }): void
}

/** What is kept of each owner, made when it is first asked for, gone with it. */
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

/** A map that forgets what was added first, once it holds more than so many. */
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

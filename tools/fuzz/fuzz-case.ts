import type { Draw } from './draw.ts'
import type { Entry } from './entries.ts'
import type { Misbehaviour } from './misbehaviours.ts'

/** One case as data: drawn from a seed, nothing of it is run yet. */
export type FuzzCase = {
  /** Of CASE_KINDS. */
  kind: string
  argv: readonly string[]
  /** In the working directory. */
  entries: readonly Entry[]
  /** What each listener of the target does to one response after another; null: there is no target. */
  server: ServerPlan | null
  /** Paths that the command may write, relative to the working directory; `*` stands for any text. */
  writes: readonly string[]
  /** Servers end when they are told to: as soon as they print. */
  isServer: boolean
  /** Whether it runs in a process of its own, rather than in one that runs many. */
  inProcess: boolean
  /** Whether it starts k6. */
  needsK6: boolean
  endsWithinMs: number
}

export type ServerPlan = {
  /** `h2`: TLS; who asks for HTTP/2 gets frames as `rest` says, others get right answers. */
  transport: 'http' | 'https' | 'h2'
  rest: readonly Misbehaviour[]
  feed: readonly Misbehaviour[]
  control: readonly Misbehaviour[]
}

/** What a kind draws; the rest has defaults. */
export type Drawn = Pick<FuzzCase, 'argv' | 'entries'> & Partial<Omit<FuzzCase, 'kind'>>

export type CaseKind = { name: string; weight: number; draw: (draw: Draw) => Drawn }

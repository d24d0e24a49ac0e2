import type { z } from 'zod'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Observer } from '../observer/observer.ts'
import type { ChainNode } from '../world/chain-node.ts'
import type { World } from '../world/world.ts'

/** What the control API acts on. */
export type Controlled = {
  world: Pick<
    World,
    | 'views'
    | 'mine'
    | 'changeConfig'
    | 'holdIndexer'
    | 'releaseIndexer'
    | 'chainRevision'
    | 'eventLogHash'
    | 'snapshot'
    | 'revert'
    | 'dropSnapshot'
    | 'reorg'
    | 'mining'
    | 'setMining'
    | 'lag'
    | 'setLag'
  >
  /** For what wallets submit. */
  node: Pick<ChainNode, 'submit' | 'transaction'>
  /** How the exchange spells keys and addresses. */
  wire: Choices['wire']
  gateway: Pick<Gateway, 'sockets' | 'nodes' | 'restart' | 'closeSocket'>
  clock: Clock
  journal: ActivityJournal
  faults: Pick<Faults, 'apply' | 'clear' | 'list' | 'plan'>
  /** null where nobody observes the clients. */
  observer: Observer | null
  /** Puts everything where it was when the stub had started. */
  reset(): void
}

export type Resource = {
  method: 'GET' | 'POST'
  path: string
  /** What it does, in whole sentences. */
  summary: string
  /** The query of a GET, the body of a POST; none counts as an empty object. */
  input: z.ZodType
  output: z.ZodType
  /** Errors beyond those that every resource may answer with. */
  errors: readonly ControlErrorCode[]
  /** Throws ZodError where the input does not fit. */
  answer(controlled: Controlled, input: unknown): unknown
}

/** Ties what a resource takes and gives to its schemas. */
export function resource<Input extends z.ZodType, Output extends z.ZodType>(
  options: Omit<Resource, 'input' | 'output' | 'errors' | 'answer'> & {
    input: Input
    output: Output
    errors?: readonly ControlErrorCode[]
    answer(controlled: Controlled, input: z.output<Input>): z.input<Output> | Promise<z.input<Output>>
  },
): Resource {
  const { input, errors = [], answer } = options
  return { ...options, errors, answer: (controlled, given) => answer(controlled, input.parse(given ?? {})) }
}

/** Every error of the control API: its code, the status it comes with, and what it says. */
export const CONTROL_ERRORS = {
  invalid_request: { status: 400, error: 'the body or the query is not what this resource takes' },
  faults_misfit: { status: 400, error: 'the fault plan does not fit this exchange' },
  unauthorized: { status: 401, error: 'Authorization: Bearer with the control token is needed' },
  host_refused: { status: 403, error: 'the Host header must name the loopback' },
  not_found: { status: 404, error: 'there is no such resource' },
  snapshot_unknown: { status: 404, error: 'there is no such snapshot' },
  socket_unknown: { status: 404, error: 'there is no such socket' },
  node_unknown: { status: 404, error: 'there is no such gateway node' },
  transaction_refused: { status: 409, error: 'the chain refuses the transaction' },
  snapshots_full: { status: 409, error: 'there are too many snapshots' },
  reorg_too_deep: { status: 409, error: 'the chain does not go back so far' },
  internal: { status: 500, error: 'internal error' },
} as const satisfies Record<string, { status: number; error: string }>

export type ControlErrorCode = keyof typeof CONTROL_ERRORS

/** Thrown by a resource to answer with an error body. */
export class ControlRefusal extends Error {
  readonly code: ControlErrorCode

  constructor(code: ControlErrorCode, detail: string) {
    super(detail)
    this.name = 'ControlRefusal'
    this.code = code
  }
}

import type { z } from 'zod'
import { validate } from '../../contract/validate.ts'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Observer } from '../observer/observer.ts'
import type { ChainNode } from '../world/chain-node.ts'
import type { World } from '../world/world.ts'

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
  /** For transactions that wallets submit. */
  node: Pick<ChainNode, 'submit' | 'transaction'>
  wire: Choices['wire']
  gateway: Pick<Gateway, 'sockets' | 'nodes' | 'restart' | 'closeSocket'>
  clock: Clock
  journal: ActivityJournal
  faults: Pick<Faults, 'apply' | 'clear' | 'list' | 'plan' | 'schedule'>
  /** null: clients are not observed. */
  observer: Observer | null
  reset(): void
}

export type Resource = {
  method: 'GET' | 'POST'
  path: string
  summary: string
  /** The query of a GET, the body of a POST; a missing body counts as an empty object. */
  input: z.ZodType
  output: z.ZodType
  /** In addition to the errors that every resource can return. */
  errors: readonly ControlErrorCode[]
  /** Throws a ControlRefusal for invalid input. */
  respond(controlled: Controlled, input: unknown): unknown
}

export function resource<Input extends z.ZodType, Output extends z.ZodType>(
  options: Omit<Resource, 'input' | 'output' | 'errors' | 'respond'> & {
    input: Input
    output: Output
    errors?: readonly ControlErrorCode[]
    respond(controlled: Controlled, input: z.output<Input>): z.input<Output> | Promise<z.input<Output>>
  },
): Resource {
  const { input, errors = [], respond } = options
  return {
    ...options,
    errors,
    respond(controlled, given) {
      const { data, problems } = validate(input, given ?? {})
      if (problems !== null) throw new ControlRefusal('invalid_request', problems.join('; '))
      return respond(controlled, data)
    },
  }
}

export const CONTROL_ERRORS = {
  invalid_request: { status: 400, error: 'the body or the query is not valid for this resource' },
  faults_misfit: { status: 400, error: 'the fault plan does not fit this exchange' },
  unauthorized: { status: 401, error: 'Authorization: Bearer with the control token is required' },
  host_refused: { status: 403, error: 'the Host header must name the loopback' },
  not_found: { status: 404, error: 'the resource does not exist' },
  snapshot_unknown: { status: 404, error: 'the snapshot does not exist' },
  socket_unknown: { status: 404, error: 'the socket does not exist' },
  node_unknown: { status: 404, error: 'the gateway node does not exist' },
  transaction_refused: { status: 409, error: 'the chain rejects the transaction' },
  snapshots_full: { status: 409, error: 'there are too many snapshots' },
  faults_none: { status: 409, error: 'no fault plan is active' },
  schedule_full: { status: 409, error: 'a fault was triggered more often than a schedule can list' },
  reorg_too_deep: { status: 409, error: 'the chain cannot go back that far' },
  internal: { status: 500, error: 'internal error' },
} as const satisfies Record<string, { status: number; error: string }>

export type ControlErrorCode = keyof typeof CONTROL_ERRORS

export class ControlRefusal extends Error {
  readonly code: ControlErrorCode

  constructor(code: ControlErrorCode, detail: string) {
    super(detail)
    this.name = 'ControlRefusal'
    this.code = code
  }
}

import type { z } from 'zod'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Observer } from '../observer/observer.ts'
import type { ChainNode } from '../world/chain-node.ts'
import type { World } from '../world/world.ts'
import type { ControlErrorCode } from './control-errors.ts'

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

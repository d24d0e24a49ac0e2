import type { Clock } from './clock.ts'
import type { NodeConnections } from './http/node-connections.ts'

/** In the clock's time, from the moment when a REST node takes no new connections to that when it closes idle ones. */
export const DRAIN_MS = 2000

/** There are always two: a single node that drains would leave nothing to connect to. */
export function restNodes({ replicas, gateways }: { replicas: number; gateways: number }): number {
  return Math.max(2, replicas, gateways)
}

/**
 * Every period the next node restarts, in turn and without end. The gateway node of that number closes its sockets with 1012 and
 * serves again at once; the REST node drains first.
 */
export function restartInTurn(options: {
  clock: Clock
  everyMs: number
  nodes: number
  rest: NodeConnections
  /** Restarts the gateway node of that number, if it exists. */
  restartGateway(node: number): void
}): void {
  const { clock, everyMs, nodes, rest, restartGateway } = options
  const restart = (node: number) => {
    rest.drain(node)
    restartGateway(node)
    clock.after(DRAIN_MS, () => rest.restart(node))
    clock.after(everyMs, () => restart((node % nodes) + 1))
  }
  clock.after(everyMs, () => restart(1))
}

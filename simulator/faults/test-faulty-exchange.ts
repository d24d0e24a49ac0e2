/**
 * Test helpers for kinds of faults: an exchange with active faults over its own world, in process or over a real
 * socket.
 */
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import { createTestBed } from '../exchange/test-bed.ts'
import { createTestWorld } from '../exchange/test-world.ts'
import { connectRaw, type RawPeer } from '../http/test-raw-peer.ts'
import { createReplicas } from '../world/replica.ts'
import { faultPlanSchema } from './fault-plan.ts'
import { createFaults } from './faults.ts'

type SendRequest = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  cookies?: Record<string, string>
  body?: object
}

/** An exchange with these faults, its journal, and request helpers. Closed with the test. */
export async function createFaultyExchange(
  faults: readonly object[],
  { choices }: { choices?: Choices } = {},
) {
  const world = createTestWorld()
  const { clock } = world
  const journal = createActivityJournal({ clock })
  const { add } = createReplicas({ world, blocks: world.blocks })
  const active = createFaults({ clock, world, record: journal.record, follow: add })
  const bed = await createTestBed({ world, faults: active, ...(choices && { choices }) })
  active.apply(faultPlanSchema.parse({ description: 'of a test', faults }))

  const send = async (url: string, { method = 'GET', body, ...rest }: SendRequest = {}) => {
    const { app } = bed
    return app.inject({ url, method, ...rest, ...(body !== undefined && { payload: body }) })
  }
  /** Sends the request as is and leaves the connection open. */
  const requestRaw = async (request: string): Promise<RawPeer> => {
    if (!bed.app.server.listening) {
      await bed.app.listen({ host: '127.0.0.1', port: 0 })
      onTestFinished(async () => {
        const closed = bed.app.close()
        bed.app.server.closeAllConnections()
        await closed
      })
    }
    const { port } = bed.app.server.address() as AddressInfo // as: it listens on a port
    const peer = await connectRaw(port)
    peer.write(`${request} HTTP/1.1\r\nhost: x\r\n\r\n`)
    return peer
  }
  return {
    bed,
    world,
    active,
    send,
    sendRaw: requestRaw,
    statuses: async (urls: readonly string[]) => {
      const found: number[] = []
      for (const url of urls) found.push((await send(url)).statusCode)
      return found
    },
    decisions: () =>
      journal.read({ after: 0, limit: 1000 }).entries.filter((entry) => entry.kind === 'fault'),
  }
}

/** As many turns as an in-process request takes. */
export async function eventLoopTurns(): Promise<void> {
  for (let count = 0; count < 20; count++) await new Promise((turn) => setImmediate(turn))
}

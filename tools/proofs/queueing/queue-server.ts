/** A server that queues like the stub with --service-rate, or stops for a while. Its argument is a ServerOptions; it prints its port. */
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { serveInTurn } from '../../../simulator/service-queue.ts'
import { exponential, type Stall } from './queue-path.ts'

export type ServerOptions =
  | { kind: 'constant' | 'exponential'; perSecond: number; seed: number }
  | ({ kind: 'stalled' } & Pick<Stall, 'stopAt' | 'stopSeconds' | 'serviceMs'>)

const options: ServerOptions = JSON.parse(process.argv[2] ?? '')
const app = fastify()
app.get('/warm', { config: { rateLimit: false } }, (_request, reply) => reply.send('warm'))
if (options.kind === 'stalled') {
  const { stopAt, stopSeconds, serviceMs } = options
  let hasBegun = false
  app.get('/', (_request, reply) => {
    if (!hasBegun) setTimeout(() => stop(stopSeconds), stopAt * 1000)
    hasBegun = true
    setTimeout(() => reply.send('served'), serviceMs)
  })
} else {
  const { kind, perSecond, seed } = options
  const serviceMs = exponential(seed, 1000 / perSecond)
  serveInTurn(app, { perSecond, ...(kind === 'exponential' && { serviceMs }) })
  app.get('/', (_request, reply) => reply.send('served'))
}
await app.listen({ host: '127.0.0.1', port: 0 })
console.log((app.server.address() as AddressInfo).port) // as: it listens on a port

/** Blocks the process, which then neither reads nor writes. */
function stop(seconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000)
}

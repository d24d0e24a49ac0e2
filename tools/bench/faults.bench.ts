import type { FastifyReply, FastifyRequest } from 'fastify'
import { createActivityJournal } from '../../simulator/activity-journal.ts'
import { defaultChoices } from '../../simulator/choices/default-choices.ts'
import { createClock } from '../../simulator/clock.ts'
import { createRestFaults } from '../../simulator/exchange/inject-faults.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { createFaults, type Faults } from '../../simulator/faults/faults.ts'
import { spread } from './measuring.ts'

const ROUNDS = 9
const REQUESTS = 2_000_000
/** An active plan evaluates each fault for each request. */
const REQUESTS_UNDER_PLAN = 100_000

type Hook = (request: FastifyRequest, reply: FastifyReply, ...rest: unknown[]) => void
type Hooks = { onRequest: Hook; onSend: Hook }

/** Cost of the fault hooks per request in one process, called as the server calls them, next to empty hooks. Medians in ns. */
export function benchFaults({ print }: { print: (line: string) => void }): void {
  const idle = startFaults()
  const active = startFaults()
  active.apply(PLAN)
  const measured = { nothing: NOTHING, idle: createHooks(idle), active: createHooks(active) }
  const rounds: Record<keyof typeof measured, number>[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const found = {
      nothing: measureNanoseconds(measured.nothing, REQUESTS),
      idle: measureNanoseconds(measured.idle, REQUESTS),
      active: measureNanoseconds(measured.active, REQUESTS_UNDER_PLAN),
    }
    if (round > 0) rounds.push(found)
  }
  print(`fault hooks, ns per request, medians of ${ROUNDS} rounds (minimum to maximum):`)
  print(`  empty hooks: ${spread(rounds.map(({ nothing }) => nothing))}`)
  print(`  no active plan: ${spread(rounds.map(({ idle }) => idle))} (target 1,000)`)
  print(`  relative to empty hooks: ${spread(rounds.map(({ idle, nothing }) => idle / nothing))} times`)
  print(`  a plan of two faults, neither of which triggers: ${spread(rounds.map(({ active }) => active))}`)
}

const NOTHING: Hooks = {
  onRequest: (_request, _reply, done) => (done as () => void)(), // as: a hook's last argument
  onSend: (_request, _reply, payload, done) =>
    (done as (error: null, payload: unknown) => void)(null, payload), // as above
}

const PLAN = faultPlanSchema.parse({
  description: 'Evaluated for every request and response',
  faults: [
    { fault: 'http-error', where: { routes: ['POST /auth/*'] } },
    { fault: 'http-truncated', where: { clients: { userAgents: ['no such'] } } },
  ],
})

function startFaults(): Faults {
  const clock = createClock({ startMs: 0 })
  const { record } = createActivityJournal({ clock })
  return createFaults({ clock, world: {} as never, record }) // as: no fault of the plan uses it
}

function createHooks(faults: Faults): Hooks {
  const { request, response } = createRestFaults({
    lose: () => {},
    faults,
    choices: defaultChoices,
    clock: createClock({ startMs: 0 }),
  })
  return { onRequest: request, onSend: response } as Hooks // as: neither uses its `this`
}

const REQUEST = {
  id: 'r0000001',
  method: 'GET',
  credential: 'missing',
  headers: { 'user-agent': 'bench' },
  ip: '127.0.0.1',
  is404: false,
  routeOptions: { url: '/pools' },
} as unknown as FastifyRequest // as: the hooks read only this

const REPLY = { statusCode: 200 } as unknown as FastifyReply // as above

function measureNanoseconds({ onRequest, onSend }: Hooks, requests: number): number {
  let responded = 0
  const goOn = () => {}
  const response = () => {
    responded++
  }
  const startMs = performance.now()
  for (let request = 0; request < requests; request++) {
    onRequest(REQUEST, REPLY, goOn)
    onSend(REQUEST, REPLY, '{}', response)
  }
  const tookMs = performance.now() - startMs
  if (responded !== requests) throw new Error(`${responded} of ${requests} requests continued`)
  return (tookMs * 1_000_000) / requests
}

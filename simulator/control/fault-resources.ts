import { z } from 'zod'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { suggestNames } from '../../contract/suggest-names.ts'
import { type FaultPlan, FaultPlanMisfit, faultPlanSchema } from '../faults/fault-plan.ts'
import type { Faults } from '../faults/faults.ts'
import { ControlRefusal, type Resource, resource } from './resource.ts'

const NOTHING = z.strictObject({})

export const clearedSchema = z.strictObject({ cleared: z.int().describe('Number of faults that ended') })

export const activeFaultsSchema = z.strictObject({
  description: z.string().nullable().describe('Description of the active plan; null without a plan'),
  faults: z
    .array(
      z.strictObject({
        place: z.int().describe('Index in the plan, from 0'),
        fault: z.string(),
        decisions: z.int().describe('Number of decisions'),
        triggered: z.int().describe('Number of decisions that triggered the fault'),
      }),
    )
    .describe('The active faults'),
})

export const FAULT_RESOURCES: readonly Resource[] = [
  resource({
    method: 'POST',
    path: '/faults',
    summary: 'Activates a fault plan and replaces the previous one. A plan with an error changes nothing.',
    input: faultPlanSchema,
    output: activeFaultsSchema,
    errors: ['faults_misfit'],
    respond({ faults }, plan) {
      try {
        faults.apply(plan)
      } catch (error) {
        if (error instanceof FaultPlanMisfit)
          throw new ControlRefusal('faults_misfit', error.problems.join('; '))
        throw error
      }
      return listActiveFaults(faults)
    },
  }),
  resource({
    method: 'GET',
    path: '/faults',
    summary: 'The active faults.',
    input: NOTHING,
    output: activeFaultsSchema,
    respond: ({ faults }) => listActiveFaults(faults),
  }),
  resource({
    method: 'GET',
    path: '/faults/schedule',
    summary:
      'The decisions of the active plan so far, as a fault plan: its `when.on` lists the matches that triggered each fault. Applied to the same stub, it takes the same decisions.',
    input: NOTHING,
    output: faultPlanSchema,
    errors: ['faults_none', 'schedule_full'],
    respond: ({ faults }) => recordSchedule(faults),
  }),
  resource({
    method: 'POST',
    path: '/faults/clear',
    summary: 'Ends all faults and reverts their effects; responses that are already delayed stay delayed.',
    input: NOTHING,
    output: clearedSchema,
    respond: ({ faults }) => ({ cleared: faults.clear() }),
  }),
]

function listActiveFaults(faults: Pick<Faults, 'list' | 'plan'>): z.input<typeof activeFaultsSchema> {
  return {
    description: faults.plan()?.description ?? null,
    faults: faults
      .list()
      .map(({ place, fault, decisions, triggered }) => ({ place, fault: fault.fault, decisions, triggered })),
  }
}

function recordSchedule({ schedule }: Pick<Faults, 'schedule'>): FaultPlan {
  try {
    const recorded = schedule()
    if (recorded) return recorded
  } catch (error) {
    if (error instanceof BreakwaterError) throw new ControlRefusal('schedule_full', error.message)
    throw error
  }
  throw new ControlRefusal('faults_none', 'apply one, and read its schedule before you clear it')
}

const EMPTY = z.strictObject({})

const socketSchema = z.strictObject({
  id: z.int(),
  node: z.int().describe('The gateway node that serves it, from 1'),
  address: z.string().nullable().describe('The wallet of its ticket; null before authentication'),
  rooms: z.int().describe('Number of subscriptions'),
  droppedEvents: z.int().describe('Events dropped because its peer did not keep up'),
})

/** Limited to the codes of the WebSocket library: https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
const closeCodeSchema = z.union([
  z.int().min(1000).max(1003),
  z.int().min(1007).max(1014),
  z.int().min(3000).max(4999),
])

export const SOCKET_RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/sockets',
    summary: 'The open sockets of the feed.',
    input: EMPTY,
    output: z.strictObject({ sockets: z.array(socketSchema) }),
    respond: ({ gateway }) => ({ sockets: [...gateway.sockets()] }),
  }),
  resource({
    method: 'POST',
    path: '/sockets/close',
    summary: 'Closes one socket.',
    input: z.strictObject({
      id: z.int().describe('Id of the socket, as in `/sockets`'),
      code: closeCodeSchema.default(1012).describe('Close code'),
    }),
    output: EMPTY,
    errors: ['socket_unknown'],
    respond({ gateway }, { id, code }) {
      if (gateway.closeSocket(id, { code, reason: 'closed by the control API' })) return {}
      const open = gateway.sockets().map((socket) => socket.id)
      throw new ControlRefusal(
        'socket_unknown',
        open.length === 0
          ? 'no socket is open'
          : `no socket ${id}; ${suggestNames(String(id), open.map(String))}`,
      )
    },
  }),
  resource({
    method: 'POST',
    path: '/gateway/restart',
    summary: 'Closes every socket with 1012, or those of one node, as a deployment does.',
    input: z.strictObject({
      node: z.int().optional().describe('Number of the node, as in `/sockets` (default: all nodes restart)'),
    }),
    output: z.strictObject({ closed: z.int().describe('Number of closed sockets') }),
    errors: ['node_unknown'],
    respond({ gateway }, { node }) {
      if (node !== undefined && (node < 1 || node > gateway.nodes))
        throw new ControlRefusal('node_unknown', `expected a node from 1 to ${gateway.nodes}, got ${node}`)
      return { closed: gateway.restart(node) }
    },
  }),
]

import { z } from 'zod'
import { type FaultTools, faultKind } from '../fault-kind.ts'
import { globs, matchesAny, matchesSocket, socketWhereSchema } from '../when-and-where.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export const scheduleOptions = {
  where: socketWhereSchema,
  count: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('How many of the matching sockets, drawn at random each time (default: all)'),
  everyMs: z
    .int()
    .min(100)
    .max(DAY_MS)
    .optional()
    .describe('Repeat at this interval until the fault ends (default: once)'),
  staggerMs: z
    .int()
    .min(0)
    .max(DAY_MS)
    .default(0)
    .describe('Spread the sockets evenly over this time: the first immediately, the last at the end'),
}

type Schedule = z.output<z.ZodObject<typeof scheduleOptions>>

/** Calls `act` with the open sockets that trigger it when the fault starts, and again at each interval. */
function onSockets(options: {
  schedule: Schedule
  tools: FaultTools
  act(socketId: number): void
  end?: () => void
}): void {
  const { schedule, tools, act, end } = options
  const { where, count, everyMs, staggerMs } = schedule
  let isOver = false

  const run = () => {
    if (isOver) return
    const fitting = tools.feed.sockets().filter((socket) => matchesSocket(where, socket))
    let left = count ?? fitting.length
    // Selection sampling: every choice of `left` sockets is equally likely.
    const triggering = fitting.filter(({ id }, place) => {
      const isTriggered = tools.decides(`socket ${id}`, Math.min(1, left / (fitting.length - place)))
      if (isTriggered) left--
      return isTriggered
    })
    const apartMs = staggerMs / Math.max(1, triggering.length - 1)
    for (const [place, { id }] of triggering.entries()) {
      if (place === 0 || staggerMs === 0) act(id)
      else tools.after(Math.round(place * apartMs), () => act(id))
    }
    if (everyMs !== undefined) tools.after(everyMs, run)
  }

  tools.during({
    begin: run,
    end() {
      isOver = true
      end?.()
    },
  })
}

/** RFC 6455, section 7.4.1: never in a close frame; a peer sees it if there was no frame. */
const CUT = 1006

const CODES = '1000 to 1014 without 1004 and 1005, or 3000 to 4999'

/** Deployments close sockets like this (specification, Events: Delivery), and so do network errors. */
export const wsClose = faultKind({
  name: 'ws-close',
  summary: 'Closes open sockets: with 1012 like a deployment, with another code, or without a close frame.',
  options: z.strictObject({
    ...scheduleOptions,
    code: z
      .int()
      .refine(isCloseCode, `expected ${CODES}`)
      .default(1012)
      .describe(`Close code: ${CODES}; 1006 cuts the connection without a close frame`),
    reason: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= 123, 'expected at most 123 bytes')
      .default('service restart')
      .describe('Reason in the close frame'),
  }),
  start({ code, reason, ...schedule }, tools) {
    const act = (id: number) => (code === CUT ? tools.feed.cut(id) : tools.feed.close(id, { code, reason }))
    onSockets({ schedule, tools, act })
    return {}
  },
})

/** RFC 6455, section 7.4, or 1006. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005) || (code >= 3000 && code <= 4999)
}

/** The socket stays open without errors and without data. */
export const wsBlackhole = faultKind({
  name: 'ws-blackhole',
  summary:
    'Mutes open sockets, like a network that failed unnoticed: no event, control, pong or close frame comes any more. They are cut at the end.',
  options: z.strictObject({
    ...scheduleOptions,
    muteMs: z
      .int()
      .min(1)
      .max(24 * 60 * 60 * 1000)
      .default(300_000)
      .describe('Time until the socket is cut; the end of the fault cuts it too'),
  }),
  start({ muteMs, ...schedule }, tools) {
    const { feed } = tools
    const mute = new Set<number>()
    const cut = (id: number) => {
      if (mute.delete(id)) feed.cut(id)
    }
    onSockets({
      schedule,
      tools,
      act(id) {
        mute.add(id)
        feed.mute(id)
        tools.after(muteMs, () => cut(id))
      },
      end() {
        for (const id of mute) cut(id)
      },
    })
    return {}
  },
})

/** For clients that cannot read slowly themselves: the gateway sees no difference. */
export const wsSlowConsumer = faultKind({
  name: 'ws-slow-consumer',
  summary:
    'Holds back all output to open sockets, as if their clients did not read. Above the limit of unsent data the feed drops events, and `resync_required` follows.',
  options: z.strictObject({
    ...scheduleOptions,
    stallMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(5000)
      .describe('How long output is held back; the end of the fault releases it too'),
  }),
  start({ stallMs, ...schedule }, tools) {
    const resumes = new Set<() => void>()
    const resume = (go: () => void) => {
      if (resumes.delete(go)) go()
    }
    onSockets({
      schedule,
      tools,
      act(id) {
        const go = tools.feed.stall(id)
        resumes.add(go)
        tools.after(stallMs, () => resume(go))
      },
      end() {
        for (const go of resumes) resume(go)
      },
    })
    return {}
  },
})

const KNOWN = ['synchronized', 'resync_required']

/** Clients have to ignore them (specification, Events: Server messages). */
export const wsUnknownControl = faultKind({
  name: 'ws-unknown-control',
  summary: 'Sends open sockets a control that the specification does not define.',
  options: z.strictObject({
    ...scheduleOptions,
    control: z
      .string()
      .min(1)
      .max(200)
      .refine((name) => !KNOWN.includes(name), `expected a control other than ${KNOWN.join(' and ')}`)
      .default('maintenance_announced')
      .describe('Name of the control'),
    fields: z.record(z.string(), z.json()).default({}).describe('Additional fields of the message'),
  }),
  start({ control, fields, ...schedule }, tools) {
    onSockets({ schedule, tools, act: (id) => tools.feed.sendControl(id, { ...fields, control }) })
    return {}
  },
})

export const wsControlDelay = faultKind({
  name: 'ws-control-delay',
  summary: 'Delays controls: `synchronized` by default, or those listed.',
  options: z.strictObject({
    where: socketWhereSchema,
    controls: globs.default(['synchronized']).describe('Values of `control`; `*` matches any text'),
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('Delay of each control'),
  }),
  start: ({ where, controls, delayMs }, { decides }) => ({
    control: ({ control, socket }) =>
      matchesAny(controls, control) &&
      matchesSocket(where, socket) &&
      decides(`${control} to socket ${socket.id}`)
        ? delayMs
        : undefined,
  }),
})

import type { Ticket } from '../../../client/feed-connection.ts'
import type { Wire, WireEvents } from '../../../client/feed-socket.ts'
import { type FeedOptions, type KeptFeed, keepFeed } from '../../../client/keep-feed.ts'
import { createRevisions, quoteUntilCurrent, type Revisions } from '../../../client/once.ts'
import { backoffMs, retry } from '../../../client/retry-wait.ts'
import { createStoppableWaits } from '../../../client/time-and-chance.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { k6Tools } from '../duties/k6-tools.ts'
import { openWebSocket } from '../feed/open-web-socket.ts'
import { pickRevision, pickText } from '../pick.ts'
import { GaveUp, readWaitMs } from '../requests/patient.ts'
import type { Reply, RequestSpec } from '../requests/request.ts'
import { createFeedStory } from '../timeline.ts'
import { CannotJudge, requireChoice } from '../verdict/judge.ts'
import type { Client } from './open-client.ts'
import { afterError, ClientStopped } from './rest-client.ts'

export type Followed = KeptFeed &
  Omit<Revisions, 'hear' | 'learn'> & {
    /** Requests a route, and again if it is older than an announced change. Undefined if it stays stale. */
    route(spec: RequestSpec): Promise<Reply | undefined>
  }

/** Records the frames of one socket in the operation log. */
export type FrameRecorder = {
  sent(text: string): void
  /** `atMs`: when the frame arrived. */
  received(text: string, atMs: number): void
}

/** Follows rooms with the client's own tickets. Throws CannotProbe if the profile does not state the path of a ticket. */
export function followFeed(
  client: Client,
  options: FeedOptions & {
    onConfig?: (state: Reply) => void
    /** Called for each socket; both record in the operation log of a load. */
    recordSocket?: () => FrameRecorder | undefined
    /** Called for each socket, with a function that cuts it. */
    onSocket?: (cut: () => void) => void
    /** Once a socket is synchronized, it reads no more. */
    isSlow?: boolean
    recordMinimum?: (target: Target, minimum: bigint, read: () => Promise<Reply>) => Promise<Reply>
  },
): Followed {
  const { profile } = client.target
  const ticketPath = requireChoice(profile.choices.wsTicket.ticket, 'the path of a ticket')
  const takeTicket = async (): Promise<Ticket | undefined> => {
    const requestedAtMs = Date.now()
    const reply = await client.send({ method: 'GET', path: '/auth/ws-ticket' }).catch(undefinedOnError)
    const token = pickText(reply?.json, ticketPath)
    return token === undefined ? undefined : { token, requestedAtMs: requestedAtMs }
  }
  const waits = createStoppableWaits(k6Tools)
  const readState = async (minimum: bigint) => {
    const query = { minimum_revision: String(minimum) }
    // While the revision is pending, a 503 states how long to wait: no error of the exchange.
    const spec: RequestSpec = { method: 'GET', path: '/protocol/state', query, provokes: [503] }
    const read = () => client.send(spec)
    const state = await (options.recordMinimum?.(client.target, minimum, read) ?? read())
    if (state.status === 503) {
      const serverWaitMs = readWaitMs(state, k6Tools.nowMs()) ?? 0
      throw new GaveUp(`the revision is pending: ${state.evidence()}`, { serverWaitMs, reply: state })
    }
    options.onConfig?.(state)
  }
  const revisions = createRevisions((minimum) =>
    retry(() => readState(minimum), { waits, random: k6Tools.random, afterError }),
  )
  let pauseReading = () => {}
  const onSynchronized = (tookMs: number) => {
    options.onSynchronized?.(tookMs)
    if (options.isSlow) pauseReading()
  }
  const followed = { ...options, onSynchronized }
  const feed = keepFeed(followed, {
    openWire(events) {
      let isOpen = false
      const opened = () => {
        isOpen = true
        events.opened()
      }
      const closed = () => {
        isOpen = false
        events.closed()
      }
      const { isSlow = false } = options
      const { pause, ...wire } = openK6Wire(
        client.target,
        { ...events, opened, closed },
        {
          recorder: options.recordSocket?.(),
          isSlow,
        },
      )
      pauseReading = pause
      options.onSocket?.(() => {
        const wasOpen = isOpen
        // First, because k6 throws at a frame for a socket that is closing.
        closed()
        if (wasOpen) wire.close()
      })
      return wire
    },
    takeTicket,
    onConfigChanged({ json }) {
      const revision = pickRevision(json, 'data.revision')
      if (revision !== undefined) revisions.hear(revision)
    },
    afterError,
    tools: k6Tools,
  })
  const close = async () => {
    waits.stop()
    await feed.close()
  }
  client.beforeLeaving(close)
  return {
    ...feed,
    close,
    announced: revisions.announced,
    isStale: revisions.isStale,
    route: (spec) =>
      quoteUntilCurrent({
        quote: () => client.send(spec),
        isStale: ({ json }) => revisions.isStale(pickRevision(json, profile.choices.route.protocolRevision)),
        beforeAgain: (attempt) => k6Tools.pause(backoffMs({ attempt, random: k6Tools.random })),
      }),
  }
}

function undefinedOnError(error: unknown): undefined {
  if (error instanceof ClientStopped || !(error instanceof CannotJudge)) throw error
  return undefined
}

export function openK6Wire(
  target: Target,
  events: WireEvents,
  { recorder, isSlow = false }: { recorder?: FrameRecorder | undefined; isSlow?: boolean } = {},
): Wire & { pause(): void } {
  const { socket: raw, readText, cut, pause } = openWebSocket(target, {}, { isSlow })
  const story = createFeedStory(target)
  raw.onopen = () => {
    story?.opened()
    events.opened()
  }
  // The close event that follows has the details.
  raw.onerror = () => {}
  // The type declarations omit the event that k6 passes.
  raw.onclose = (event?: { code?: number; reason?: string }) => {
    story?.closed({ code: event?.code ?? LOST_CODE, reason: event?.reason ?? '' })
    events.closed()
  }
  raw.onmessage = (event) => {
    const text = readText(event)
    story?.came(text)
    const atMs = event?.timestamp ?? Date.now()
    recorder?.received(text, atMs)
    events.received(text, atMs)
  }
  raw.addEventListener('pong', events.pong)
  return {
    send(text) {
      story?.sent(text)
      recorder?.sent(text)
      raw.send(text)
    },
    ping: () => raw.ping(),
    // A slow reader would not read the response to its close frame.
    close: () => (isSlow ? cut() : raw.close(1000)),
    pause,
  }
}

/** RFC 6455, section 7.4.1: the connection closed without a close frame. */
const LOST_CODE = 1006

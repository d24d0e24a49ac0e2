import { Counter } from 'k6/metrics'
import { clearTimeout, setTimeout } from 'k6/timers'
import { WebSocket } from 'k6/websockets'
import type { Target } from '../../contract/scenario-config.ts'
import type { ClientFrame } from '../../contract/schemas/feed.ts'
import { pickRevision, pickText } from './pick.ts'

/** A socket that keeps nothing of what it receives, as it may live for hours: it counts frames, and tells of a few. */
export type MixSocket = {
  send(frame: ClientFrame): void
  close(): void
  isOpen(): boolean
  frames(): number
  /** Looks again at each frame and at the close; false when time is up or the socket closed. */
  until(done: () => boolean, timeoutMs: number): Promise<boolean>
}

const OPEN_MS = 10_000

const frameCount = new Counter('feed_frames')

/** Resolves with a socket that is open, or with undefined where it does not open. */
export async function openMixSocket(options: {
  target: Target
  onControl: (control: string) => void
  onRevision: (revision: bigint) => void
}): Promise<MixSocket | undefined> {
  const { profile } = options.target
  const headers = { ...profile.headers, ...(profile.origin === null ? {} : { Origin: profile.origin }) }
  const raw = new WebSocket(`${profile.wsUrl.replace(/\/$/, '')}/ws`, null, {
    headers,
    tags: { name: 'feed' },
  })
  let state: 'opening' | 'open' | 'closed' = 'opening'
  let frames = 0
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  raw.onopen = () => {
    // A late handshake would keep the VU for as long as the socket stays open.
    if (state === 'opening') state = 'open'
    else raw.close(1000)
    wake()
  }
  raw.onerror = wake
  raw.onclose = () => {
    state = 'closed'
    wake()
  }
  raw.onmessage = (event) => {
    frames++
    frameCount.add(1)
    // Most frames are events that no client here looks into: parsing each would be the VU's main work.
    if (typeof event?.data === 'string' && TOLD.test(event.data)) tell(event.data, options)
    wake()
  }
  const socket: MixSocket = {
    send(frame) {
      if (state === 'open') raw.send(JSON.stringify(frame))
    },
    close() {
      if (state === 'open') raw.close(1000)
      state = 'closed'
      wake()
    },
    isOpen: () => state === 'open',
    frames: () => frames,
    until: (done, timeoutMs) =>
      new Promise<boolean>((resolve) => {
        const finish = (answer: boolean) => {
          waiting.delete(look)
          clearTimeout(timer)
          resolve(answer)
        }
        const look = () => {
          if (done()) finish(true)
          else if (state === 'closed') finish(false)
        }
        const timer = setTimeout(() => finish(done()), Math.max(0, timeoutMs))
        waiting.add(look)
        look()
      }),
  }
  if (await socket.until(socket.isOpen, OPEN_MS)) return socket
  state = 'closed'
  return undefined
}

const TOLD = /"control"|"ProtocolConfigChanged"/

function tell(
  text: string,
  to: { onControl: (control: string) => void; onRevision: (revision: bigint) => void },
): void {
  const message = parse(text)
  const control = pickText(message, 'control')
  if (control !== undefined) to.onControl(control)
  const revision = pickRevision(message, 'data.revision')
  if (pickText(message, 'type') === 'ProtocolConfigChanged' && revision !== undefined) to.onRevision(revision)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

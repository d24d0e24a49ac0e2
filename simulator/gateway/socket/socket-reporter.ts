/** Reports the actions of a socket to the journal and to the observer, if there is one. Neither gets secrets. */
import type { Activity, ActivityJournal } from '../../activity-journal.ts'
import type { Auth, RedeemedTicket } from '../../auth/auth.ts'
import { digest } from '../../auth/secret.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Close } from '../../choices/feed-choices.ts'
import type { ObservedFrame } from '../../observer/observed.ts'
import type { SocketObserver } from '../../observer/observer.ts'
import type { Observing } from '../../observer/observing.ts'
import { CONTROLS, type FeedError } from '../feed-protocol.ts'

export type SocketReporter = {
  authenticate(token: string, ticket: RedeemedTicket | undefined, outcome: AuthenticateOutcome): void
  subscribe(room: string, refusal: FeedError | 'not_authenticated' | undefined): void
  /** Any other frame: `subscribe again` is of a joined room, `limited` was ignored, `too large` was not received. */
  frame(action: 'subscribe again' | 'unsubscribe' | 'synchronize' | Unhandled, room?: string): void
  /** A control was sent. `revision` reports the event of a revision. */
  control(control: string): void
  revision(revision: number): void
  ending(close: Close): void
  closed(code: number): void
}

type Unhandled = 'invalid' | 'binary' | 'limited' | 'too large'
type AuthenticateOutcome = Extract<ObservedFrame, { action: 'authenticate' }>['outcome']
type SocketActivity = Extract<Activity, { kind: 'socket' }>
type NewActivity = SocketActivity extends infer One
  ? One extends SocketActivity
    ? Omit<One, 'kind' | 'socket'>
    : never
  : never

/** Recognizes other credentials sent as a ticket. */
export type Credentials = Pick<Auth, 'sessions' | 'apiTokens'>

/** `seat`: address and program of the client. */
export function createSocketReporter(options: {
  id: number
  seat: { remoteAddress: string; userAgent: string }
  /** When its upgrade arrived. */
  arrivedMs: number
  secretInUrl: string | null
  hasSentAll: () => boolean
  releasedMs: () => number
  record: ActivityJournal['record']
  observing: (Observing & { credentials: Credentials }) | null
  choices: Pick<Choices, 'wire' | 'feed'>
}): SocketReporter {
  const { id, seat, arrivedMs, secretInUrl, hasSentAll, releasedMs, observing, choices } = options
  const { closes, controls } = choices.feed
  const record = (activity: NewActivity) =>
    options.record({ kind: 'socket', socket: id, ...activity } as SocketActivity) // as: adds the two omitted fields
  const entry = record({ event: 'opened' })
  const socket: SocketObserver | undefined = observing?.observer.opened({
    number: id,
    ...seat,
    arrivedMs,
    secretInUrl,
    hasSentAll,
    releasedMs,
    entry,
  })
  const isOwn = (control: string) =>
    [...Object.values(CONTROLS), ...Object.values(controls)].some((own) => own === control)
  let ended: string | null = null

  const presentedAs = (token: string, ticket: RedeemedTicket | undefined) => {
    if (ticket) return 'a ticket'
    if (token.startsWith('ss_') || observing?.credentials.apiTokens.bySecret(token)) return 'an API token'
    const isSessionToken =
      observing?.credentials.sessions.byAccessToken(token) ||
      observing?.credentials.sessions.hasFamily(token.split('.', 1)[0] ?? '')
    return isSessionToken ? 'a session token' : 'unknown'
  }

  return {
    authenticate(token, ticket, outcome) {
      const isGood = outcome === 'authenticated' || outcome === 'renewed'
      if (ticket && isGood) {
        const wallet = choices.wire.address.encode(ticket.address)
        const { credentialId, issuedAtMs: issuedMs } = ticket
        socket?.authenticated({ wallet, credentialId, issuedMs })
      }
      const client = socket && { client: socket.clientName() }
      const at = record({ event: 'frame', action: 'authenticate', outcome, ...client })
      if (!socket) return
      const presented = presentedAs(token, ticket)
      socket.frame({ entry: at, action: 'authenticate', presented, digest: digest(token), outcome })
    },
    subscribe(room, refusal = undefined) {
      const refused = refusal !== undefined && { refused: refusal }
      const at = record({ event: 'frame', action: 'subscribe', room, ...refused })
      const respelledKey =
        observing && refusal === 'room_unknown'
          ? observing.otherSpelling(room.slice(room.indexOf(':') + 1))
          : null
      socket?.frame({ entry: at, action: 'subscribe', room, refusal: refusal ?? null, respelledKey })
    },
    frame(action, room) {
      const sent = {
        action: action === 'subscribe again' ? 'subscribe' : action,
        ...(room !== undefined && { room }),
      }
      // A flood would push everything else out of the journal.
      const at = action === 'limited' ? 0 : record({ event: 'frame', ...sent })
      if (action === 'unsubscribe') socket?.frame({ entry: at, action, room: room ?? '' })
      else socket?.frame({ entry: at, action })
    },
    control(control) {
      const at = record({ event: 'sent', control })
      socket?.sent({ entry: at, control, isInjected: !isOwn(control) })
    },
    revision(revision) {
      const at = record({ event: 'sent', type: 'ProtocolConfigChanged', revision })
      socket?.sent({ entry: at, revision })
    },
    ending(close) {
      if (ended !== null) return
      ended = Object.entries(closes).find(([, known]) => known === close)?.[0] ?? 'other'
      const at = record({ event: 'ending', closeCode: close.code })
      socket?.closed({ entry: at, code: close.code, by: 'exchange', cause: ended })
    },
    closed(code) {
      const by = ended === null ? 'client' : 'exchange'
      const at = record({ event: 'closed', closeCode: code, by })
      socket?.closed({ entry: at, code, by, cause: ended })
    },
  }
}

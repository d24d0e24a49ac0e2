/** An observer with one rule, and made-up requests and sockets on a manual clock. */
import { createActivityJournal } from '../activity-journal.ts'
import { createClock } from '../clock.ts'
import type { ObservedFrame, ObservedSocket, RequestArrival, RequestOutcome } from './observed.ts'
import { createObserver } from './observer.ts'
import type { ObserverRule } from './observer-rule.ts'

export const WALLET = 'bw1wallet'

type Who = Partial<
  Pick<
    RequestArrival,
    'remoteAddress' | 'userAgent' | 'connection' | 'wallet' | 'credential' | 'credentialId'
  >
>
type Given = Who &
  Partial<Omit<RequestArrival, 'arrivedMs'>> &
  Partial<Omit<RequestOutcome, 'respondedMs' | 'entry'>>

/** By an API token of the wallet, from a program at the loopback address. */
const TOKEN: Required<Who> = {
  remoteAddress: '127.0.0.1',
  userAgent: 'bot',
  connection: null,
  wallet: WALLET,
  credential: 'api-token',
  credentialId: 't1',
}

/** The same program without a credential. */
export const STRANGER: Who = { wallet: null, credential: 'none', credentialId: null }

export function createTestBed(
  rule: ObserverRule,
  { leapMsMax = Number.POSITIVE_INFINITY }: { leapMsMax?: number } = {},
) {
  const clock = createClock({ startMs: 1_000_000 })
  const journal = createActivityJournal({ clock })
  const observer = createObserver({ clock, journal, leapMsMax, rules: [rule] })
  let sockets = 0
  let tickets = 0

  /** A request that has arrived; the test decides when it gets its response. */
  const arrive = (given: Given = {}) => {
    const { method = 'GET', url = '/fee-tiers' } = given
    const requested = observer.arrived({
      ...TOKEN,
      method,
      url,
      route: url.split('?')[0] ?? null,
      hasCsrfToken: false,
      isPublic: false,
      ...given,
      arrivedMs: clock.nowMs(),
    })
    return (response: Given = given) => {
      const { status = 200, code } = response
      const entry = journal.record({ kind: 'request', ref: 'r1', method, route: requested.route, status })
      observer.responded(requested, {
        status,
        code: code ?? null,
        retryAfterMs: null,
        servedRevision: null,
        isEmptyPage: false,
        isLastPage: false,
        refusedDigest: null,
        refreshDigest: null,
        deniedWallet: null,
        secretInUrl: null,
        respelledKey: null,
        uncanonical: [],
        alteredMessage: null,
        ...response,
        respondedMs: clock.nowMs(),
        entry,
      })
    }
  }
  const open = (
    seat: Partial<
      Pick<
        ObservedSocket,
        'remoteAddress' | 'userAgent' | 'arrivedMs' | 'secretInUrl' | 'hasSentAll' | 'releasedMs'
      >
    > = {},
  ) => {
    const number = ++sockets
    const record = (event: 'opened') => journal.record({ kind: 'socket', socket: number, event })
    const reporter = observer.opened({
      number,
      remoteAddress: '127.0.0.1',
      userAgent: 'bot',
      arrivedMs: clock.nowMs(),
      secretInUrl: null,
      hasSentAll: () => true,
      releasedMs: () => Number.NEGATIVE_INFINITY,
      ...seat,
      entry: record('opened'),
    })
    const frame = (news: Unnumbered<ObservedFrame>) =>
      reporter.frame({ ...news, entry: record('opened') } as ObservedFrame) // as: adds the omitted fields
    const socket = {
      frame,
      /** With a new ticket, unless one is given: valid the first time, and for renewals. */
      authenticate(given: { ticket?: string; wallet?: string; outcome?: Authenticate['outcome'] } = {}) {
        const { ticket = `ticket-${++tickets}`, wallet = WALLET, outcome = 'authenticated' } = given
        if (outcome === 'authenticated' || outcome === 'renewed')
          reporter.authenticated({ wallet, issuedMs: clock.nowMs() })
        frame({ action: 'authenticate', presented: 'a ticket', digest: ticket, outcome })
        return socket
      },
      join(...rooms: string[]) {
        for (const room of rooms) frame({ action: 'subscribe', room, refusal: null, respelledKey: null })
        return socket
      },
      control: (control: string, isInjected = false) =>
        reporter.sent({ control, isInjected, entry: record('opened') }),
      revision: (revision: number) => reporter.sent({ revision, entry: record('opened') }),
      end: (cause = 'other', code = 1012) =>
        reporter.closed({ by: 'exchange', cause, code, entry: record('opened') }),
      leave: (code = 1000) => reporter.closed({ by: 'client', cause: null, code, entry: record('opened') }),
    }
    return socket
  }

  return {
    clock,
    journal,
    observer,
    arrive,
    send: (given: Given = {}) => arrive(given)(),
    open,
    pass: (ms: number) => clock.advance(ms),
    found: () => observer.read({ after: 0, limit: 100 }).findings.map(({ observed }) => observed),
    cases: () => observer.read({ after: 0, limit: 1 }).duties[rule.id]?.situations,
    /** Situations, handled, violations. */
    counts: () => Object.values(observer.read({ after: 0, limit: 1 }).duties[rule.id] ?? {}),
    /** Journal entry of the last handled situation. */
    witness: () => observer.witnesses().get(rule.id),
    evidence: () => observer.read({ after: 0, limit: 1 }).findings[0]?.evidence.length,
  }
}

type Authenticate = Extract<ObservedFrame, { action: 'authenticate' }>
type Unnumbered<News> = News extends { entry: number } ? Omit<News, 'entry'> : never

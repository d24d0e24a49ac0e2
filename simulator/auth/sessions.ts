import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { MutantName } from '../mutants/mutants.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createSecret, createToken, createUuid, digest, matchesDigest } from './secret.ts'

export type SessionInfo = {
  id: string
  address: string
  csrfDigest: string
  createdAtMs: number
  refreshedAtMs: number
  /** Unless refreshed before. */
  expiresAtMs: number
}

/** What a client gets to hold at sign-in and at each refresh. */
export type Grant = {
  address: string
  csrfToken: string
  accessToken: string
  accessExpiresAtMs: number
  refreshToken: string
}

export type RefreshResult =
  | { outcome: 'rotated'; grant: Grant }
  | { outcome: 'raced' }
  | { outcome: 'refused' }

export type Sessions = Saves<SavedSessions> & {
  start(address: string): Grant
  byAccessToken(token: string): SessionInfo | undefined
  byId(id: string): SessionInfo | undefined
  /** Whether a session’s refresh tokens begin with this text. */
  hasFamily(text: string): boolean
  /** Synchronous, thus atomic: of any number of calls with one token exactly one rotates it. */
  refresh(token: string): RefreshResult
  list(address: string): readonly SessionInfo[]
  end(id: string): void
  /** For mutants alone: the access token ends, the refresh token does not. */
  endAccess(id: string): void
  /** Returns how many there were. */
  endAll(address: string): number
  /** How many are kept, some of them perhaps expired. */
  size(): number
}

type Session = SessionInfo & {
  csrfToken: string
  family: string
  currentDigest: string
  /** What the last sign-in or refresh gave, where those that race share it. */
  shared: Grant | null
  /** Of the access token given last. */
  accessDigest: string
  /** Refresh tokens replaced within the grace time. */
  replaced: { digest: string; atMs: number; losers: number }[]
}

type SavedSessions = {
  sessions: Map<string, Session>
  idByFamily: Map<string, string>
  idByAccess: ExpiringEntries<string>
}

/**
 * Sessions with rotating refresh tokens. A refresh token is `family.generation`: the family is the session's for good, so
 * an old generation is known for a reused one (RFC 9700, 4.14.2) without keeping any of them beyond the grace time.
 */
export function createSessions(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'profile' | 'refresh' | 'tokenForm' | 'wire'>
  mutant: MutantName | null
  /** Of an access token, where a fault ends it earlier than it is told. */
  shorterLifeMs?: (address: string) => number | undefined
}): Sessions {
  const { clock, stream, mutant, shorterLifeMs = () => undefined } = options
  const lifetimeMs = options.choices.refresh.lifetimeSeconds * 1000
  const { graceSeconds } = options.choices.profile.refresh
  const withinGrace = (atMs: number, nowMs: number) => nowMs - atMs <= graceSeconds * 1000
  let sessions = new Map<string, Session>()
  let idByFamily = new Map<string, string>()
  const { race, formerAccess } = options.choices.refresh
  const { tokenForm, wire } = options.choices
  let sweepAt = SWEEP_ABOVE
  const accessSeconds = (mutant && ACCESS_SECONDS_OF_MUTANT[mutant]) ?? LIMITS.accessSessionSeconds
  const accessKey = (token: string) => digest(withoutEnd(token, mutant === 'auth-session-end-unread'))
  const readRefresh = (token: string) => withoutEnd(token, mutant === 'auth-refresh-end-unread')
  const refreshKey = (token: string) => digest(readRefresh(token))
  const idByAccess = createExpiringMap<string>({ clock, lifetimeMs: accessSeconds * 1000 })

  const byId = (id: string): Session | undefined => {
    const session = sessions.get(id)
    if (session && session.expiresAtMs <= clock.nowMs()) end(id)
    return sessions.get(id)
  }
  const end = (id: string): void => {
    const session = sessions.get(id)
    if (!session) return
    sessions.delete(id)
    idByFamily.delete(digest(session.family))
  }
  /** Sessions that nobody asks for any more would pile up. All are looked at, so only once they have doubled. */
  const sweep = () => {
    if (sessions.size < sweepAt) return
    for (const id of sessions.keys()) byId(id)
    sweepAt = Math.max(SWEEP_ABOVE, 2 * sessions.size)
  }
  const grant = (session: Session, refreshToken: string): Grant => {
    const nowMs = clock.nowMs()
    const accessToken = createToken(stream, tokenForm, {
      use: 'access',
      subject: wire.address.encode(session.address),
      issuedAtMs: nowMs,
      expiresAtMs: nowMs + accessSeconds * 1000,
    })
    if (formerAccess === 'ends' && mutant !== 'auth-refresh-keeps-access')
      idByAccess.take(session.accessDigest)
    session.accessDigest = accessKey(accessToken)
    const { address, csrfToken } = session
    const accessExpiresAtMs = idByAccess.add(session.accessDigest, session.id, shorterLifeMs(address))
    const granted = { address, csrfToken, accessToken, accessExpiresAtMs, refreshToken }
    if (race === 'shared') session.shared = granted
    return granted
  }
  const start = (address: string): Grant => {
    sweep()
    const nowMs = clock.nowMs()
    const csrfToken = createSecret(stream)
    const family = createSecret(stream)
    const refreshToken = `${family}.${createSecret(stream)}`
    const session: Session = {
      id: createUuid(stream),
      address,
      csrfToken,
      csrfDigest: digest(csrfToken),
      createdAtMs: nowMs,
      refreshedAtMs: nowMs,
      expiresAtMs: nowMs + lifetimeMs,
      family,
      currentDigest: refreshKey(refreshToken),
      shared: null,
      accessDigest: '',
      replaced: [],
    }
    sessions.set(session.id, session)
    idByFamily.set(digest(family), session.id)
    return grant(session, refreshToken)
  }
  const rotate = (session: Session, presented: string): Grant => {
    const nowMs = clock.nowMs()
    session.refreshedAtMs = nowMs
    session.expiresAtMs = nowMs + lifetimeMs
    if (mutant === 'auth-refresh-not-rotated') return grant(session, presented)
    const refreshToken = `${session.family}.${createSecret(stream)}`
    session.replaced = session.replaced.filter(({ atMs }) => withinGrace(atMs, nowMs))
    session.replaced.push({ digest: session.currentDigest, atMs: nowMs, losers: 0 })
    session.currentDigest = refreshKey(refreshToken)
    return grant(session, refreshToken)
  }

  return {
    start,
    byId,
    hasFamily: (text) => idByFamily.has(digest(text)),
    byAccessToken(token) {
      const id = idByAccess.get(accessKey(token))
      return id === undefined ? undefined : byId(id)
    },
    refresh(presented) {
      const token = readRefresh(presented)
      const session = byId(idByFamily.get(digest(token.split('.', 1)[0] ?? '')) ?? '')
      if (!session) return { outcome: 'refused' }
      const replaced = session.replaced.find((entry) => matchesDigest(token, entry.digest))
      const inGrace = replaced !== undefined && withinGrace(replaced.atMs, clock.nowMs())
      const livesOn = replaced !== undefined && !inGrace && mutant === 'auth-refresh-replaced-lives-on'
      if (livesOn || matchesDigest(token, session.currentDigest))
        return { outcome: 'rotated', grant: rotate(session, token) }
      if (inGrace && mutant !== 'auth-refresh-loser-is-thief') {
        replaced.losers += 1
        if (mutant === 'auth-refresh-crowd-500' && replaced.losers > CROWD)
          throw new Error('too many losers of one race')
        if (mutant === 'auth-refresh-two-winners')
          return { outcome: 'rotated', grant: start(session.address) }
        const shared = mutant === 'auth-refresh-loser-clears' ? null : session.shared
        return shared ? { outcome: 'rotated', grant: shared } : { outcome: 'raced' }
      }
      end(session.id)
      return { outcome: 'refused' }
    },
    list: (address) =>
      [...sessions.keys()]
        .flatMap((id) => byId(id) ?? [])
        .filter((s) => s.address === address || mutant === 'auth-sessions-lists-all'),
    end,
    endAccess: (id) => idByAccess.take(sessions.get(id)?.accessDigest ?? ''),
    endAll(address) {
      const ids = [...sessions.values()].filter((s) => s.address === address).map((s) => s.id)
      ids.forEach(end)
      return ids.length
    },
    size: () => sessions.size,
    save: () => ({ sessions, idByFamily, idByAccess: idByAccess.save() }),
    restore(saved) {
      sessions = saved.sessions
      idByFamily = saved.idByFamily
      idByAccess.restore(saved.idByAccess)
      sweepAt = SWEEP_ABOVE
    },
  }
}

/** What a mutant looks at of a token. */
function withoutEnd(token: string, endIsUnread: boolean): string {
  return endIsUnread ? token.slice(0, -8) : token
}

const SWEEP_ABOVE = 1000
/** Losers of one race that a mutant puts up with. */
const CROWD = 10

const ACCESS_SECONDS_OF_MUTANT: Partial<Record<MutantName, number>> = {
  'auth-session-30-min': 30 * 60,
  'auth-session-10-min': 10 * 60,
}

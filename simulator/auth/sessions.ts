import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-options.ts'
import type { Saves } from '../undo-log.ts'

import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createSecret, createToken, createUuid, digest, matchesDigest } from './secret.ts'

export type SessionInfo = {
  id: string
  address: string
  csrfDigest: string
  createdAtMs: number
  refreshedAtMs: number
  expiresAtMs: number
}

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
  /** True if the text is the family of a session's refresh tokens. */
  hasFamily(text: string): boolean
  /** Synchronous and so atomic: of concurrent calls with one token, exactly one rotates it. */
  refresh(token: string): RefreshResult
  list(address: string): readonly SessionInfo[]
  end(id: string): void
  /** Ends the newest access token only; the refresh token stays valid. */
  endAccess(id: string): void
  endAll(address: string): number
  size(): number
}

type Session = SessionInfo & {
  csrfToken: string
  family: string
  currentDigest: string
  /** Last grant, if racing requests share it. */
  shared: Grant | null
  accessDigest: string
  /** Refresh tokens replaced within the grace time. */
  replaced: { digest: string; atMs: number }[]
}

type SavedSessions = {
  sessions: Map<string, Session>
  idByFamily: Map<string, string>
  idByAccess: ExpiringEntries<string>
}

/**
 * Sessions with rotating refresh tokens. A refresh token is `family.generation`; the family is permanent, so a reused old
 * generation is detected (RFC 9700, 4.14.2) without storing any beyond the grace time.
 */
export function createSessions(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'profile' | 'refresh' | 'tokenForm' | 'wire'>
  limits?: Pick<StubLimits, 'accessSessionSeconds'>
  /** Actual lifetime of an access token if a fault shortens it; the client sees the normal expiry. */
  shorterLifeMs?: (address: string) => number | undefined
}): Sessions {
  const { clock, stream, limits = STATED_LIMITS, shorterLifeMs = () => undefined } = options
  const lifetimeMs = options.choices.refresh.lifetimeSeconds * 1000
  const { graceSeconds } = options.choices.profile.refresh
  const withinGrace = (atMs: number, nowMs: number) => nowMs - atMs <= graceSeconds * 1000
  let sessions = new Map<string, Session>()
  let idByFamily = new Map<string, string>()
  const { race, formerAccess } = options.choices.refresh
  const { tokenForm, wire } = options.choices
  let sweepAt = SWEEP_ABOVE
  const accessMs = limits.accessSessionSeconds * 1000
  const idByAccess = createExpiringMap<string>({ clock, lifetimeMs: accessMs })

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
  /** Removes expired sessions that no request touches. Scans all of them, so it runs only when their number has doubled. */
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
      expiresAtMs: nowMs + accessMs,
    })
    if (formerAccess === 'ends') idByAccess.take(session.accessDigest)
    session.accessDigest = digest(accessToken)
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
      currentDigest: digest(refreshToken),
      shared: null,
      accessDigest: '',
      replaced: [],
    }
    sessions.set(session.id, session)
    idByFamily.set(digest(family), session.id)
    return grant(session, refreshToken)
  }
  const rotate = (session: Session): Grant => {
    const nowMs = clock.nowMs()
    session.refreshedAtMs = nowMs
    session.expiresAtMs = nowMs + lifetimeMs
    const refreshToken = `${session.family}.${createSecret(stream)}`
    session.replaced = session.replaced.filter(({ atMs }) => withinGrace(atMs, nowMs))
    session.replaced.push({ digest: session.currentDigest, atMs: nowMs })
    session.currentDigest = digest(refreshToken)
    return grant(session, refreshToken)
  }

  return {
    start,
    byId,
    hasFamily: (text) => idByFamily.has(digest(text)),
    byAccessToken(token) {
      const id = idByAccess.get(digest(token))
      return id === undefined ? undefined : byId(id)
    },
    refresh(token) {
      const session = byId(idByFamily.get(digest(token.split('.', 1)[0] ?? '')) ?? '')
      if (!session) return { outcome: 'refused' }
      const replaced = session.replaced.find((entry) => matchesDigest(token, entry.digest))
      if (matchesDigest(token, session.currentDigest)) return { outcome: 'rotated', grant: rotate(session) }
      if (replaced && withinGrace(replaced.atMs, clock.nowMs())) {
        const { shared } = session
        return shared ? { outcome: 'rotated', grant: shared } : { outcome: 'raced' }
      }
      end(session.id)
      return { outcome: 'refused' }
    },
    list: (address) =>
      [...sessions.keys()].flatMap((id) => byId(id) ?? []).filter((s) => s.address === address),
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

const SWEEP_ABOVE = 1000

/** More mutants of whom the feed serves: tickets are the only credential of a socket. */
import type { Auth, RedeemedTicket } from '../auth/auth.ts'
import type { AuthTools, DeviationTable } from './deviation.ts'
import { SYNCHRONIZED, socket } from './socket-symptoms.ts'

const SECOND_MS = 1000

export const STRANGER_SYMPTOMS = {
  'ws-strangers-get-events': {
    breaks: 'a socket that has not authenticated joins rooms',
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame: ({ action, room }) =>
        own.address === null && action === 'subscribe' && room !== undefined ? { joins: room } : undefined,
    })),
  },
  'ws-strangers-get-trades': {
    breaks: 'a socket that has not authenticated joins trades rooms',
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame({ action, room = '' }) {
        if (own.address !== null || action !== 'subscribe') return undefined
        return room.startsWith('trades:') ? { joins: room } : 'drop'
      },
    })),
  },
  'ws-strangers-synchronize': {
    breaks: 'a socket that has not authenticated gets synchronized',
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        if (own.address !== null) return undefined
        return action === 'synchronize' ? SYNCHRONIZED : action === 'subscribe' ? 'drop' : undefined
      },
    })),
  },
  'ws-handshake-synchronizes': {
    breaks: 'a socket whose handshake carries a credential gets synchronized without a ticket',
    rules: ['ws.auth.rejects-handshake'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        if (own.address !== null || own.authorization === undefined) return undefined
        return action === 'synchronize' ? SYNCHRONIZED : action === 'subscribe' ? 'drop' : undefined
      },
    })),
  },
  'ws-handshake-joins': {
    breaks: 'a socket whose handshake carries a credential is served everything without a ticket',
    rules: ['ws.auth.rejects-handshake'],
    deviates: socket((own) => ({
      frame: ({ action, room }) => {
        if (own.address !== null || own.authorization === undefined) return undefined
        return action === 'synchronize'
          ? SYNCHRONIZED
          : action === 'subscribe' && room
            ? { joins: room }
            : undefined
      },
    })),
  },
} as const satisfies DeviationTable

export function buildTicket(address: string, clock: AuthTools['clock'], lifeMs: number): RedeemedTicket {
  const nowMs = clock.nowMs()
  return { address, principal: address, issuedAtMs: nowMs, expiresAtMs: nowMs + lifeMs }
}

/** Records which tickets were issued to whom. */
export function issuing(
  auth: Auth,
): { issued: Map<string, { address: string; atMs: number; expiresAtMs: number }> } & Pick<
  Auth,
  'issueTicket'
> {
  const issued = new Map<string, { address: string; atMs: number; expiresAtMs: number }>()
  return {
    issued,
    issueTicket(credential) {
      const made = auth.issueTicket(credential)
      const { expiresAtMs } = made
      issued.set(made.ticket, {
        address: credential.address,
        atMs: expiresAtMs - 60 * SECOND_MS,
        expiresAtMs,
      })
      return made
    },
  }
}

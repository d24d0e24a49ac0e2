/**
 * Checks all that comes through a socket, whatever it was opened for: events of rooms that it never joined, events that do not fit, and
 * trades that come again are seen by whichever probe gets them.
 */
import type { Choices } from '../../../contract/profile.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'
import { pickText } from '../pick.ts'
import { check } from '../verdict/check.ts'
import { exactFields } from './events-seen.ts'
import { isForeign } from './room.ts'

type Message = { control?: string; type?: string; json: unknown; data?: unknown; text: string }

/** What is wrong with a message, by rule. */
export type FeedProblem = { rule: string; problem: string }

export type SocketWatch = { sent(frame: ClientFrame): void; came(message: Message): FeedProblem[] }

/** The watch of one socket. */
export function watchSocket(events: Choices['events']): SocketWatch {
  /** Ever: what was on its way as a room was left may still come. */
  const joined = new Set<string>()
  const trades = new Set<string>()
  let isResynced = false

  const comesAgain = ({ type, json, text }: Message) => {
    // Without an id, or a pool, two that are alike may be two.
    const names = [pickText(json, events.id), pickText(json, events.pool)]
    if (type !== 'Trade' || names.includes(undefined)) return false
    const isAgain = trades.has(text)
    trades.add(text)
    return isAgain && !isResynced
  }
  return {
    sent(frame) {
      if (frame.action === 'subscribe') joined.add(frame.room)
    },
    came(message) {
      if (message.control === 'resync_required') isResynced = true
      if (message.control !== undefined || message.type === undefined) return []
      const { numbers } = exactFields(message.data)
      const problems = [
        ...check('event', message.json).map((problem) => ({ rule: 'ws.event.shape', problem })),
        ...numbers.map((path) => ({ rule: 'ws.event.exact-values', problem: `a number in ${path}` })),
      ]
      if (isForeign([...joined], message, events))
        problems.push({ rule: 'ws.rooms.only-subscribed', problem: 'an event of a room that was not joined' })
      if (comesAgain(message))
        problems.push({ rule: 'ws.delivery.at-most-once', problem: 'a trade that came before' })
      return problems
    },
  }
}

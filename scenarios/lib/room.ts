import type { Choices } from '../../contract/profile.ts'
import { pickText } from './pick.ts'

type Message = { type?: string; json: unknown }

const TYPE_OF_PREFIX: Record<string, string> = {
  pool_launches: 'PoolLaunch',
  pool_stats: 'PoolStats',
  ohlcv: 'Ohlcv',
  trades: 'Trade',
  balances: 'BalanceChange',
  protocol_config: 'ProtocolConfigChanged',
}

/** Whether an event is one that `room` sends, as far as its type and the fields that the profile names tell. */
export function isOfRoom(room: string, message: Message, events: Choices['events']): boolean {
  const separator = room.indexOf(':')
  const prefix = separator === -1 ? room : room.slice(0, separator)
  if (message.type === undefined || message.type !== TYPE_OF_PREFIX[prefix]) return false
  if (separator === -1) return true
  const subject = pickText(message.json, prefix === 'balances' ? events.address : events.pool)
  return subject === room.slice(separator + 1)
}

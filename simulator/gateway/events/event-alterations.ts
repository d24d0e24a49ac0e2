/** Mutants that spoil events as they go out. The rest of the feed's are broken where the gateway does what they break. */
import type { EventType } from '../../../contract/schemas/feed.ts'
import type { Choices } from '../../choices/choices.ts'
import type { FEED_MUTANTS } from '../../mutants/feed.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { FeedEvent } from './events.ts'

type Altered = Pick<FeedEvent, 'room'> & Record<string, unknown>
type Alteration = (event: FeedEvent, choices: Choices) => readonly Altered[]

/** What goes out in place of an event. */
export function eventAlteration(options: {
  mutant: MutantName | null
  choices: Choices
}): (event: FeedEvent) => readonly Altered[] {
  const { mutant, choices } = options
  const alter = mutant && (EVENT_ALTERATIONS as Partial<Record<MutantName, Alteration>>)[mutant]
  return alter ? (event) => alter(event, choices) : (event) => [event]
}

const EVENT_ALTERATIONS: Readonly<Partial<Record<keyof typeof FEED_MUTANTS, Alteration>>> = {
  'ws-no-launches': without('PoolLaunch'),
  'ws-no-stats': without('PoolStats'),
  'ws-no-candles': without('Ohlcv'),
  'ws-no-config': without('ProtocolConfigChanged'),
  'ws-trades-twice': (event) => (event.type === 'Trade' ? [event, event] : [event]),
  'ws-trades-as-swaps': (event) => [event.type === 'Trade' ? { ...event, type: 'Swap' } : event],
  'ws-balances-in-pool-rooms': (event) =>
    event.type === 'PoolStats' ? [event, { ...event, type: 'BalanceChange' }] : [event],
  'ws-event-bare': (event) =>
    event.type === 'PoolStats' ? [event, { room: event.room, type: event.type }] : [event],
  'ws-prices-are-numbers': of('PoolStats', (data) => ({
    ...data,
    price: Number(data.price),
    liquidity: Number(data.liquidity),
  })),
  'ws-launch-key-cut': (event, { profile }) =>
    event.type === 'PoolLaunch'
      ? [{ ...event, data: withText(event.data, profile.events.pool, (key) => key.slice(0, -1)) }]
      : [event],
  'ws-config-ahead': of('ProtocolConfigChanged', ({ revision, ...data }) => ({
    ...data,
    revision: typeof revision === 'number' ? revision + 1000 : String(Number(revision) + 1000),
  })),
  'ws-config-without-block': of('ProtocolConfigChanged', ({ observed_block: _block, ...data }) => data),
}

function without(type: EventType): Alteration {
  return (event) => (event.type === type ? [] : [event])
}

function of(type: EventType, alter: (data: FeedEvent['data']) => FeedEvent['data']): Alteration {
  return (event) => [event.type === type ? { ...event, data: alter(event.data) } : event]
}

/** `path` as a profile has it: `data.event.market`. */
function withText(
  data: Record<string, unknown>,
  path: string,
  alter: (text: string) => string,
): Record<string, unknown> {
  const [, ...names] = path.split('.')
  const copy = structuredClone(data)
  let inner = copy
  for (const name of names.slice(0, -1)) inner = inner[name] as Record<string, unknown> // as: the event has been built by this path
  const last = names.at(-1) ?? ''
  inner[last] = alter(String(inner[last]))
  return copy
}

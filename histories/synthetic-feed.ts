/** The log of the feed of a simulated target that is correct. */
import type { HistoryKind, Operation } from '../contract/history.ts'
import type { SyntheticHistory } from './synthetic-log.ts'

type Options = { random: () => number; startUs: number }

const SECOND_US = 1e6
const [TRADE, BALANCE] = [3, 4]
const [ROOM, OWN, OTHER] = [1001, 1002, 1003]

const FEED_HISTORIES = { socket: listFrames, protocol: listReads, ticket: listUses } as const

/** The history of a socket, of reads of the configuration, or of a ticket, by turns. */
export function synthesizeFeed(number: number, options: Options): SyntheticHistory {
  const families = Object.entries(FEED_HISTORIES)
  const [family, list] = families[number % families.length] ?? ['socket', listFrames]
  return { key: `${family} ${number}`, operations: list(options) }
}

function listFrames({ random, startUs }: Options): Operation[] {
  let atUs = startUs
  const frame = (kind: HistoryKind, more: Partial<Operation> = {}): Operation => {
    atUs += 1 + Math.floor(1000 * random())
    const takesUs = kind === 'Y' ? 1 + Math.floor(2000 * random()) : 0
    return { kind, call: atUs, return: atUs + takesUs, status: 0, argument: null, value: null, ...more }
  }
  const trade = () =>
    frame('E', { status: TRADE, argument: ROOM, value: Math.floor(Number.MAX_SAFE_INTEGER * random()) })
  return [
    frame('A', { argument: OWN }),
    frame('J', { status: TRADE, argument: ROOM }),
    frame('J', { status: BALANCE, argument: OWN }),
    frame('Y'),
    trade(),
    frame('E', { status: BALANCE, argument: OWN }),
    trade(),
    frame('V', { status: TRADE, argument: ROOM }),
    frame('Y'),
    // On its way as the room was left.
    trade(),
    frame('J', { status: BALANCE, argument: OTHER }),
    frame('Y'),
  ]
}

function listReads({ random, startUs }: Options): Operation[] {
  const read = (argument: number, outcome: Pick<Operation, 'status' | 'value'>): Operation => {
    const call = startUs + Math.floor(1000 * random())
    return { kind: 'P', call, return: call + 1 + Math.floor(2000 * random()), argument, ...outcome }
  }
  return [
    read(5, { status: 200, value: 5 }),
    read(5, { status: 200, value: 6 }),
    read(7, { status: 503, value: null }),
  ]
}

function listUses({ startUs }: Options): Operation[] {
  const use = (kind: HistoryKind, call: number, status: number): Operation => ({
    kind,
    call,
    return: call + 500,
    status,
    argument: null,
    value: null,
  })
  return [use('K', startUs, 200), use('H', startUs + 80 * SECOND_US, 401)]
}

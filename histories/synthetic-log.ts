/** The log of a simulated target that is correct: each operation takes effect at one moment between call and return. */
import type { HistoryFamily, HistoryKind, Operation } from '../contract/history.ts'

export type SyntheticHistory = { key: string; operations: Operation[] }

type Options = {
  random: () => number
  startUs: number
  /** The share of responses that are lost after the operation took effect. */
  lostShare?: number
}

type Family = Exclude<HistoryFamily, 'socket' | 'protocol' | 'ticket'>

const FAMILIES: readonly Family[] = ['session', 'token', 'faucet']
const WALLETS = 20

/** Groups of concurrent operations, one after the other. */
const GROUPS: Record<Family, readonly (readonly HistoryKind[])[]> = {
  session: [['S'], ['U'], ['R', 'R', 'U'], ['U', 'U'], ['R', 'U'], ['U'], ['L', 'U', 'R'], ['U'], ['R']],
  token: [['C'], ['T'], ['T', 'T', 'T'], ['D', 'T', 'T'], ['T'], ['D']],
  faucet: [['F', 'F', 'F'], ['F']],
}

/** The history of a session, an API token or an address, by turns. */
export function synthesizeHistory(number: number, options: Options): SyntheticHistory {
  const { random, lostShare = 0.02 } = options
  const family = FAMILIES[number % FAMILIES.length] ?? 'session'
  const respond = TARGETS[family]()
  const operations: Operation[] = []
  let [startUs, newest] = [options.startUs, 0]
  for (const group of GROUPS[family]) {
    const planned = group.map((kind) => {
      const call = startUs + Math.floor(500 * random())
      const end = call + 1 + Math.floor(2000 * random())
      return { kind, call, end, effect: call + (end - call) * random() }
    })
    const argument = family === 'session' ? newest : null
    for (const { kind, call, end } of planned.sort((a, b) => a.effect - b.effect)) {
      const outcome = respond(kind, argument)
      const isLost = random() < lostShare
      const isStart = kind === 'S' || kind === 'C'
      operations.push({
        kind,
        call,
        return: isLost && random() < 0.5 ? Number.POSITIVE_INFINITY : end,
        argument: isStart ? number % WALLETS : kind === 'R' || kind === 'U' ? argument : null,
        ...(isLost && !isStart ? { status: 0, value: null } : outcome),
      })
      if (!isLost && outcome.value !== null) newest = outcome.value
    }
    startUs = Math.max(...planned.map(({ end }) => end)) + 1
  }
  return { key: `${family} ${number}`, operations }
}

/** Takes an operation into effect, and returns its outcome. */
type Respond = (kind: HistoryKind, argument: number | null) => Pick<Operation, 'status' | 'value'>

const TARGETS: Record<Family, () => Respond> = {
  session() {
    let [current, isEnded] = [0, false]
    return (kind, argument) => {
      if (isEnded) return { status: 401, value: null }
      if (kind === 'S') return { status: 200, value: null }
      if (kind === 'R')
        return argument === current ? { status: 200, value: ++current } : { status: 409, value: null }
      if (kind === 'L') isEnded = true
      return { status: kind === 'L' || argument === current ? 200 : 401, value: null }
    }
  },
  token() {
    let isRevoked = false
    return (kind) => {
      if (kind === 'T') return { status: isRevoked ? 401 : 200, value: null }
      const status = isRevoked ? 404 : 200
      if (kind === 'D') isRevoked = true
      return { status, value: null }
    }
  },
  faucet() {
    let claimed = false
    return () => {
      const status = claimed ? 429 : 200
      claimed = true
      return { status, value: null }
    }
  },
}

/** Encodes histories as k6 does (k6/history/log.go): operations in order of their returns. */
export function encodeLog(histories: readonly SyntheticHistory[], { startMs = 0 } = {}): string {
  let lastCall = startMs * 1000
  const lines = histories
    .flatMap(({ operations }, key) => operations.map((operation) => ({ key, operation })))
    .sort((a, b) => a.operation.return - b.operation.return)
    .map(({ key, operation }) => {
      const { kind, call, return: end, status, argument, value } = operation
      const numbers = [call - lastCall, end - call, status, argument ?? -1, value ?? -1]
      lastCall = call
      const texts = numbers.map((each) => (Number.isFinite(each) ? each.toString(36) : '-'))
      return `${kind}${key.toString(36)} ${texts.join(' ')}`
    })
  const header = JSON.stringify({ history: 1, startMs })
  return `${[header, ...histories.map(({ key }) => `=${key}`), ...lines, '.done'].join('\n')}\n`
}

type FeedOptions = Pick<Options, 'random' | 'startUs'>

const SECOND_US = 1e6
const [TRADE, BALANCE] = [3, 4]
const [ROOM, OWN, OTHER] = [1001, 1002, 1003]

const FEED_HISTORIES = { socket: listFrames, protocol: listReads, ticket: listUses } as const

/** The history of a socket, of reads of the configuration, or of a ticket, by turns. */
export function synthesizeFeed(number: number, options: FeedOptions): SyntheticHistory {
  const families = Object.entries(FEED_HISTORIES)
  const [family, list] = families[number % families.length] ?? ['socket', listFrames]
  return { key: `${family} ${number}`, operations: list(options) }
}

function listFrames({ random, startUs }: FeedOptions): Operation[] {
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

function listReads({ random, startUs }: FeedOptions): Operation[] {
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

function listUses({ startUs }: FeedOptions): Operation[] {
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

import { createReadStream } from 'node:fs'
import {
  HISTORY_KINDS,
  type HistoryFamily,
  type HistoryKind,
  historyHeaderSchema,
  type Operation,
} from '../contract/history.ts'

/** The operations of one session, API token or address, in order of their calls. */
export type History = { key: string; family: HistoryFamily; operations: Operation[] }

export type LogRead = {
  histories: History[]
  /** Count for the whole log. */
  operations: number
  /** Why operations may be missing; null: none are. */
  incomplete: string | null
  /** A process reached the limit of its log: later operations were not recorded. */
  isFull: boolean
}

const NO_END = 'the operation log has no end line: a k6 process was killed, or its disk was full'
const DAMAGED = 'the operation log has invalid lines'

/** Reads the histories of one part of the keys, so that a long log fits into memory. Throws as node:fs does. */
export async function readLog(
  file: string,
  { part = 0, parts = 1 }: { part?: number; parts?: number } = {},
): Promise<LogRead> {
  const histories = new Map<string, History>()
  const read: LogRead = { histories: [], operations: 0, incomplete: null, isFull: false }
  let log: ProcessLog | undefined
  let logs = 0
  await eachLine(file, (line) => {
    const sign = line[0]
    if (sign === '{') {
      if (log !== undefined) read.incomplete = NO_END
      log = beginLog(line, ++logs)
    } else if (sign === '.') {
      read.isFull ||= line === '.full'
      log = undefined
      return
    } else if (sign === '=') log?.keys.push(nameKey(line.slice(1), log))
    else if (log !== undefined) {
      read.operations += 1
      if (!addOperation(line, log, { histories, part, parts })) read.incomplete = DAMAGED
    }
    if (log === undefined) read.incomplete = DAMAGED
  })
  if (log !== undefined || logs === 0) read.incomplete = NO_END
  read.histories = [...histories.values()]
  for (const { operations } of read.histories) operations.sort((a, b) => a.call - b.call)
  return read
}

/** The log of one k6 process. */
type ProcessLog = { number: number; keys: { name: string; hash: number }[]; lastCallUs: number }

function beginLog(line: string, number: number): ProcessLog | undefined {
  try {
    const { startMs } = historyHeaderSchema.parse(JSON.parse(line))
    return { number, keys: [], lastCallUs: startMs * 1000 }
  } catch {
    return undefined
  }
}

/** An address is the same for all processes; a session or an API token belongs to one. */
function nameKey(text: string, { number }: ProcessLog): ProcessLog['keys'][number] {
  const name = text.startsWith(SHARED) || number === 1 ? text : `${text} of log ${number}`
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = (hash * 31 + name.charCodeAt(index)) >>> 0
  return { name, hash }
}

const SHARED: HistoryFamily = 'faucet'

/** Returns false for an invalid line. */
function addOperation(
  line: string,
  log: ProcessLog,
  { histories, part, parts }: { histories: Map<string, History>; part: number; parts: number },
): boolean {
  const [head = '', call = '', duration = '', status = '', argument, value] = line.split(' ')
  const kind = HISTORY_KINDS[head[0] as HistoryKind] // as: any text may be looked up
  const key = log.keys[readInteger(head.slice(1))]
  log.lastCallUs += readInteger(call)
  const operation: Operation = {
    kind: head[0] as HistoryKind, // as: checked with the key
    call: log.lastCallUs,
    return: duration === '-' ? Number.POSITIVE_INFINITY : log.lastCallUs + readInteger(duration),
    status: readInteger(status),
    argument: readOptional(argument),
    value: readOptional(value),
  }
  if (kind === undefined || key === undefined || Number.isNaN(operation.return + operation.status))
    return false
  if (key.hash % parts !== part) return true
  const history = histories.get(key.name)
  if (history === undefined)
    histories.set(key.name, { key: key.name, family: kind.family, operations: [operation] })
  else history.operations.push(operation)
  return true
}

function readInteger(text: string): number {
  return Number.parseInt(text, 36)
}

function readOptional(text: string | undefined): number | null {
  const number = text === undefined ? -1 : readInteger(text)
  return number >= 0 ? number : null
}

/** A damaged file without line ends must not exhaust memory. */
const LINE_LENGTH_MAX = 10_000

async function eachLine(file: string, onLine: (line: string) => void): Promise<void> {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'latin1', highWaterMark: 1 << 18 })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
    if (rest.length > LINE_LENGTH_MAX) break
  }
  if (rest !== '') onLine(rest)
}

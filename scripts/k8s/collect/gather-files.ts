import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { BreakwaterError, EXIT, fileFailure } from '../../../contract/breakwater-error.ts'
import { type CollectorRequest, type Problem, requestCollector } from './request-collector.ts'

export type GatherOptions = Pick<TakeOptions, 'request'> & {
  /** Names at the collector, and the local files. */
  files: readonly { name: string; file: string }[]
  /** Local paths of the collector's other files, by name; null: skip the file. */
  resolveFile?: (name: string) => string | null
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Gathering = {
  /**
   * Polls until everything that the collector has now is here, for a minute at most; then `problem` says what is
   * missing. Throws a BreakwaterError (environment) if the local disk rejected a write.
   */
  finish(): Promise<void>
  /** Stops at once and keeps what was collected. Never throws. */
  stop(): Promise<void>
  /** Why the last poll was incomplete; null: it was complete. */
  problem(): string | null
}

const POLL_MS = 2000
/** Polling slows down with more runners, because each costs the API server a request. */
const POLL_MS_PER_RUNNER = 100
const FINAL_POLLS = 12
const LAST_LOOK_MS = 5000

/** Polls a collector every few seconds until it is finished or stopped. */
export function gatherFiles(options: GatherOptions): Gathering {
  const { request, files, resolveFile = () => null, wait = waitMs } = options
  const places = new Map(files.map(({ name, file }) => [name, file]))
  const waking = new AbortController()
  const stopping = new AbortController()
  let problems: readonly Problem[] = []
  const look = async () => {
    problems = await takeNewLines({
      request,
      signal: stopping.signal,
      resolveFile: (name) => places.get(name) ?? resolveFile(name),
    })
  }
  const following = (async () => {
    while (!waking.signal.aborted) {
      await look()
      await wait(Math.max(POLL_MS, files.length * POLL_MS_PER_RUNNER), waking.signal)
    }
  })()
  following.catch(() => {}) // `finish` reports it
  return {
    problem: () => shown(problems),
    async finish() {
      waking.abort()
      await following
      for (let looks = 0; looks < FINAL_POLLS && !stopping.signal.aborted; looks++) {
        if (looks > 0) await wait(LAST_LOOK_MS, stopping.signal)
        await look()
        if (problems.every(({ passes }) => !passes)) return
      }
    },
    async stop() {
      waking.abort()
      stopping.abort()
      await following.catch(() => {})
    },
  }
}

function shown([first, ...others]: readonly Problem[]): string | null {
  if (first === undefined) return null
  return others.length === 0 ? first.text : `${first.text}; and ${others.length} more`
}

async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {}) // woken
}

const LINE_END = 10
/** Series lines have a few hundred bytes; a longer one means that the file has no lines. */
const LINE_MAX_BYTES = 16 << 20

/**
 * Writes up to the last line end and drops the rest. Throws what source and `write` throw, after writing the lines
 * before, and a RangeError for a line that is far too long.
 */
export async function writeWholeLines(
  source: AsyncIterable<Buffer>,
  write: (lines: Buffer) => Promise<void>,
): Promise<void> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end > 0) {
      await write(Buffer.concat([...rest, chunk.subarray(0, end)]))
      rest = []
      restBytes = 0
    }
    rest.push(chunk.subarray(end))
    restBytes += chunk.length - end
    if (restBytes > LINE_MAX_BYTES) throw new RangeError(`it has a line longer than ${LINE_MAX_BYTES} bytes`)
  }
}

type TakeOptions = CollectorRequest & {
  resolveFile: (name: string) => string | null
}

const AT_ONCE = 4

const listSchema = z.array(z.object({ name: z.string(), size: z.int().nonnegative() }))

/**
 * Appends each file's new whole lines. Returns what prevented a complete collection; empty: complete. Throws a
 * BreakwaterError (environment) if the local disk rejects a write.
 */
export async function takeNewLines(options: TakeOptions): Promise<Problem[]> {
  const listed = await requestCollector(options, '/files', async (bytes) =>
    listSchema.parse(JSON.parse(await text(bytes))),
  )
  if ('problem' in listed) return [listed.problem]
  const left = listed.value.flatMap(({ name, size }) => {
    const file = options.resolveFile(name)
    return file === null ? [] : [{ name, size, file }]
  })
  const problems: Problem[] = []
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const problem = await takeFile(next, options)
      if (problem !== null) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return problems
}

type Wanted = { name: string; size: number; file: string }

async function takeFile({ name, size, file }: Wanted, options: TakeOptions): Promise<Problem | null> {
  const disk: { failure?: BreakwaterError } = {}
  const onFailure = (cause: unknown) => {
    disk.failure = diskFailure(file, cause)
    throw disk.failure
  }
  const local = await open(file, 'a').catch(onFailure)
  try {
    const { size: from } = await local.stat()
    if (from === size) return null
    if (from > size) {
      const text = `${name}: the collector has ${size} bytes of it, but ${from} were collected before`
      return { text, passes: false }
    }
    const collected = await requestCollector(
      options,
      `/files/${encodeURIComponent(name)}?from=${from}`,
      (bytes) => writeWholeLines(bytes, (lines) => local.appendFile(lines).catch(onFailure)),
    )
    if (disk.failure) throw disk.failure
    return 'problem' in collected ? collected.problem : null
  } finally {
    await local.close()
  }
}

function diskFailure(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The disk needs room for the measurements: about 40 kB/s per runner.',
    exitCode: EXIT.environment,
    cause,
  })
}

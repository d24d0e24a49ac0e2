import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { BreakwaterError, EXIT, fileFailure } from '../../../contract/breakwater-error.ts'
import { type CollectorQuestion, type Problem, questionCollector } from './ask-collector.ts'

export type GatherOptions = Pick<TakeOptions, 'request'> & {
  /** What the collector calls a file, and where it goes. */
  files: readonly { name: string; file: string }[]
  /** Where other files of the collector go, by their names; null: they are left there. */
  fileOf?: (name: string) => string | null
  /** Waits so long, or until the signal: another clock for tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Gathering = {
  /**
   * Looks until all is there that the collector has now, or cannot be had, for a minute at most; `problem` tells. Throws a BreakwaterError (environment) where
   * this machine's disk has not taken it.
   */
  finish(): Promise<void>
  /** Ends at once, with what was taken. Never throws. */
  stop(): Promise<void>
  /** Why the last look did not take all, in words; null: it did. */
  problem(): string | null
}

const LOOK_MS = 2000
/** More runners are looked at less often: each costs the API server a request. */
const LOOK_MS_EACH = 100
/** A collector that is started again is there after some seconds. */
const LAST_LOOKS = 12
const LAST_LOOK_MS = 5000

/** Takes what a collector gets, every few seconds, until it is to finish or to stop. */
export function gatherFiles(options: GatherOptions): Gathering {
  const { request, files, fileOf = () => null, wait = waitMs } = options
  const places = new Map(files.map(({ name, file }) => [name, file]))
  const waking = new AbortController()
  const stopping = new AbortController()
  let problems: readonly Problem[] = []
  const look = async () => {
    problems = await takeNewLines({
      request,
      signal: stopping.signal,
      fileOf: (name) => places.get(name) ?? fileOf(name),
    })
  }
  const following = (async () => {
    while (!waking.signal.aborted) {
      await look()
      await wait(Math.max(LOOK_MS, files.length * LOOK_MS_EACH), waking.signal)
    }
  })()
  following.catch(() => {}) // told by `finish`
  return {
    problem: () => shown(problems),
    async finish() {
      waking.abort()
      await following
      for (let looks = 0; looks < LAST_LOOKS && !stopping.signal.aborted; looks++) {
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

/** The first stands for all of them: they mostly have one cause. */
function shown([first, ...others]: readonly Problem[]): string | null {
  if (first === undefined) return null
  return others.length === 0 ? first.text : `${first.text}; and ${others.length} more`
}

async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {}) // woken
}

const LINE_END = 10
/** A series has lines of some hundred bytes; what has none of this size is no file of lines. */
const LINE_MAX_BYTES = 16 << 20

/**
 * Hands on what comes, up to the last line end; what comes behind that is left out. Throws what source and `write` throw, once the
 * lines before are written, and a RangeError for a line that is far too long.
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
    if (restBytes > LINE_MAX_BYTES) throw new RangeError(`it has a line of more than ${LINE_MAX_BYTES} bytes`)
  }
}

type TakeOptions = CollectorQuestion & {
  /** Where a file of the collector goes; null: it is not wanted. */
  fileOf: (name: string) => string | null
}

/** How many files are read at once. */
const AT_ONCE = 4

const listSchema = z.array(z.object({ name: z.string(), size: z.int().nonnegative() }))

/**
 * Takes what is new of each file of a collector, whole lines only. Answers what kept it from taking all; nothing: all was taken. Throws a BreakwaterError (environment) where this machine's disk does not take it.
 */
export async function takeNewLines(options: TakeOptions): Promise<Problem[]> {
  const listed = await questionCollector(options, '/files', async (bytes) =>
    listSchema.parse(JSON.parse(await text(bytes))),
  )
  if ('problem' in listed) return [listed.problem]
  const left = listed.value.flatMap(({ name, size }) => {
    const file = options.fileOf(name)
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
      const text = `${name}: the collector has ${size} bytes of it, and ${from} were taken before`
      return { text, passes: false }
    }
    const asked = await questionCollector(
      options,
      `/files/${encodeURIComponent(name)}?from=${from}`,
      (bytes) => writeWholeLines(bytes, (lines) => local.appendFile(lines).catch(onFailure)),
    )
    if (disk.failure) throw disk.failure
    return 'problem' in asked ? asked.problem : null
  } finally {
    await local.close()
  }
}

function diskFailure(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The disk must have room for what the runners measure: some 40 kB a second for each.',
    exitCode: EXIT.environment,
    cause,
  })
}

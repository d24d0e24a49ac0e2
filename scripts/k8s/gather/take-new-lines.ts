import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { fileFailure } from '../../../contract/file-failure.ts'
import { type CollectorQuestion, type Problem, questionCollector } from './question-collector.ts'
import { writeWholeLines } from './write-whole-lines.ts'

export type TakeOptions = CollectorQuestion & {
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

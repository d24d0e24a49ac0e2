import { createReadStream, createWriteStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { checkLog } from '../../histories/check-log.ts'
import { writeWhole } from '../../reports/run-file.ts'
import type { Io } from '../io.ts'
import { step } from '../progress/detail.ts'
import type { RunFolder } from '../runs/run-folder.ts'

/** Appends the operation log of a k6 process to that of the run. A process that never began has none. */
export async function appendHistory(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'a' })).catch((cause) => {
    if (cause.code === 'ENOENT') return
    throw cannotWrite(to, cause)
  })
}

/**
 * Checks the operation log of a run, and saves a finding for each rule and the violations to draw. Throws a
 * BreakwaterError (environment) if the disk rejects a write.
 */
export async function judgeHistory(
  folder: Pick<RunFolder, 'file'>,
  { rules, io }: { rules: readonly string[]; io: Io },
): Promise<void> {
  if (rules.length === 0) return
  const { findings, histories } = await step(io, 'histories', () =>
    checkLog(folder.file(RUN_FILES.history), { rules, nowMs: Date.now() }),
  )
  const file = folder.file(RUN_FILES.findings)
  const lines = findings.map((finding) => `${JSON.stringify(finding)}\n`).join('')
  await appendFile(file, lines).catch((cause) => {
    throw cannotWrite(file, cause)
  })
  await writeWhole(folder.file(RUN_FILES.histories), `${JSON.stringify(histories)}\n`)
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    exitCode: EXIT.environment,
    cause,
  })
}

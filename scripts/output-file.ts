import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'
import { orInterrupted } from './io.ts'

/** A file that a command writes piece by piece. Throws BreakwaterErrors: usage where the name is bad, else environment. */
export type OutputFile = {
  write(content: string | Uint8Array): void
  /** Only now the file is there under its name. */
  finish(): void
  /** Leaves nothing behind; after `finish` it does nothing. */
  discard(): void
}

export type OutputFileOptions = {
  file: string
  /** As the user named it. */
  shown: string
  interrupted: AbortSignal
}

/**
 * Opens a file that is there whole or not at all: it is written under a random new name in the same folder, then renamed. What is
 * no regular file, such as a pipe or a device, is written straight to; a reader of it that has gone is no error.
 */
export async function openOutputFile(options: OutputFileOptions): Promise<OutputFile> {
  const { file, shown, interrupted } = options
  const stats = reporting(shown, () => statSync(file, { throwIfNoEntry: false }))
  if (stats?.isDirectory()) throw cannotWrite(shown, { code: 'EISDIR' })
  if (stats && isStandardOutput(stats) && stats.isFile()) {
    throw new BreakwaterError(`${shown}: standard output goes into that file`, {
      hint: 'Name another file, or send standard output elsewhere.',
    })
  }
  return stats === undefined || stats.isFile()
    ? openWhole({ shown, target: stats ? reporting(shown, () => writableTarget(file)) : file })
    : openStraight({ file, shown, interrupted })
}

/** Where a link leads: the link stays. Renaming would replace a file that nobody may write to. */
function writableTarget(file: string): string {
  accessSync(file, constants.W_OK)
  return realpathSync(file)
}

function openWhole({ shown, target }: { shown: string; target: string }): OutputFile {
  const temporary = `${target}.${randomUUID()}.tmp`
  const descriptor = reporting(shown, () => openSync(temporary, 'wx'))
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  const discard = () => {
    process.off('exit', discard)
    close()
    rmSync(temporary, { force: true })
  }
  // Nor is it left where the process is made to end.
  process.once('exit', discard)
  return {
    write: (content) => reporting(shown, () => writeFileSync(descriptor, content)),
    finish() {
      reporting(shown, () => {
        close()
        renameSync(temporary, target)
      })
      process.off('exit', discard)
    },
    discard,
  }
}

async function openStraight({ file, shown, interrupted }: OutputFileOptions): Promise<OutputFile> {
  // A pipe that nobody reads is waited for.
  const opened = open(file, 'w').catch((cause) => {
    throw cannotWrite(shown, cause)
  })
  const handle = await orInterrupted(interrupted, opened)
  let isOpen = true
  const close = () => {
    if (isOpen) handle.close().catch(() => {})
    isOpen = false
  }
  let isRead = true
  return {
    write(content) {
      if (!isRead) return
      try {
        writeFileSync(handle.fd, content)
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EPIPE') throw cannotWrite(shown, cause) // as: of node:fs
        isRead = false
      }
    },
    finish: close,
    discard: close,
  }
}

function isStandardOutput({ dev, ino }: Stats): boolean {
  const output = fstatSync(1)
  return output.dev === dev && output.ino === ino
}

function reporting<Result>(shown: string, act: () => Result): Result {
  try {
    return act()
  } catch (cause) {
    throw cannotWrite(shown, cause)
  }
}

/** What is wrong with the name itself, not with the machine. */
const BAD_NAME = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'])

function cannotWrite(shown: string, cause: unknown): BreakwaterError {
  const code = (cause as NodeJS.ErrnoException).code ?? '' // as: errors of node:fs carry a code
  const isBadName = BAD_NAME.has(code)
  return new BreakwaterError(`${shown}: cannot be written: ${fileFailure(cause)}`, {
    hint: isBadName
      ? 'Name a file in a folder that exists.'
      : 'It and its folder must be writable, and the disk must have room.',
    exitCode: isBadName ? EXIT.usage : EXIT.environment,
    cause,
  })
}

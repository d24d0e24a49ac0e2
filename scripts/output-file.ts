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

/** A file that a command writes in pieces. Throws BreakwaterErrors: usage if the name is bad, else environment. */
export type OutputFile = {
  write(content: string | Uint8Array): void
  finish(): void
  discard(): void
}

export type OutputFileOptions = {
  file: string
  shown: string
  interrupted: AbortSignal
}

/**
 * Opens a file that appears whole or not at all: written under a random name in the same folder, then renamed. Pipes
 * and devices are written directly; a closed reader is not an error.
 */
export async function openOutputFile(options: OutputFileOptions): Promise<OutputFile> {
  const { file, shown, interrupted } = options
  const stats = reporting(shown, () => statSync(file, { throwIfNoEntry: false }))
  if (stats?.isDirectory()) throw cannotWrite(shown, { code: 'EISDIR' })
  if (stats && isStandardOutput(stats) && stats.isFile()) {
    throw new BreakwaterError(`${shown}: standard output is redirected to that file`, {
      hint: 'Name another file, or redirect standard output elsewhere.',
    })
  }
  return stats === undefined || stats.isFile()
    ? openWhole({ shown, target: stats ? reporting(shown, () => writableTarget(file)) : file })
    : openStraight({ file, shown, interrupted })
}

/** Follows links, which stay. Checks write permission, because a rename would replace even a read-only file. */
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
  // Also when the process is forced to exit.
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
  // Opening a pipe blocks until it has a reader.
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

/** Creates a file with this text, or leaves nothing. Throws errors of node:fs, such as EEXIST if the name is taken. */
export function writeNewFile(file: string, text: string): void {
  const descriptor = openSync(file, 'wx')
  try {
    writeFileSync(descriptor, text)
  } catch (cause) {
    rmSync(file, { force: true })
    throw cause
  } finally {
    closeSync(descriptor)
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

/** Errors of the name, not of the machine. */
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

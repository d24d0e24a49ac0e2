import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import type { KindName } from '../init/kind-names.ts'
import { KINDS } from '../init/templates.ts'
import type { Io } from '../io.ts'
import { ensureKitLink, LINK } from '../k6/kit-link.ts'
import { writeNewFile } from '../output-file.ts'

export type InitOptions = {
  io: Io
  /** Default: a profile, a mix and objectives. */
  what: KindName | undefined
  /** Without extension; default: the kind. */
  name: string | undefined
  json?: true
}

const TOGETHER: readonly KindName[] = ['profile', 'mix', 'slo']

/**
 * Writes files to the working directory and prints the next commands. A scenario also needs a link to import the kit. Throws a
 * BreakwaterError (usage) if the name is invalid or a file exists.
 */
export function runInit({ io, what, name, json }: InitOptions): ExitCode {
  if (name !== undefined) checkName(name)
  const link = what === 'scenario' ? ensureKitLink(io.cwd, LINK) : null
  const files = (what === undefined ? TOGETHER : [what]).map((kind) => buildFile(kind, name ?? kind))
  writeNew(io.cwd, files)
  const next = what === undefined ? listNextCommands(files.map(({ file }) => file)) : (files[0]?.next ?? [])
  if (json) {
    io.document(
      JSON.stringify(
        { written: files.map(({ file }) => file), link: link === null ? null : LINK, next },
        null,
        2,
      ),
    )
    return EXIT.ok
  }
  for (const { file, kind } of files) io.stdout(`${file}: written, ${kind}`)
  if (link === 'made')
    io.stdout(`${LINK}: created a link to this installation; keep it out of version control`)
  for (const line of ['', 'Next:', ...next.map((command) => `  ${command}`)]) io.stdout(line)
  return EXIT.ok
}

function buildFile(what: KindName, name: string) {
  const kind = KINDS[what]
  const file = `${name}${kind.ending}`
  return { file, text: kind.text(name), kind: kind.what, next: kind.next(file) }
}

function listNextCommands([profile = '', mix = '', slo = '']: readonly string[]): string[] {
  return [
    'npx breakwater stub',
    `npx breakwater doctor --target ${profile}`,
    `npx breakwater smoke --target ${profile} --mix ${mix} --slo ${slo}`,
  ]
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return
  throw new BreakwaterError(`${JSON.stringify(name)} is not a valid name`, {
    hint: 'Expected at most 64 letters, digits, hyphens and underscores. The extension is added, and the file is written to the working directory.',
  })
}

type NewFile = { file: string; text: string }

/**
 * Overwrites nothing, and writes all files or none. Throws a BreakwaterError: usage if one exists, environment if one cannot be
 * written.
 */
function writeNew(folder: string, files: readonly NewFile[]): void {
  for (const { file } of files) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false })) throw existsError(file)
  }
  const written: string[] = []
  for (const { file, text } of files) {
    try {
      writeNewFile(join(folder, file), text)
      written.push(file)
    } catch (cause) {
      for (const each of written) rmSync(join(folder, each), { force: true })
      throw cannotWrite(file, cause)
    }
  }
}

function existsError(file: string): BreakwaterError {
  return new BreakwaterError(`${file}: already exists, and is not overwritten`, {
    hint: 'Choose another name, or move the file.',
  })
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The working directory must be writable, and the disk must have room.',
    exitCode: EXIT.environment,
    cause,
  })
}

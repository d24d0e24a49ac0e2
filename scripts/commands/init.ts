/** `breakwater init`: a profile, a mix, objectives or a scenario of one's own to start from. */

import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import type { KindName } from '../init/kind-names.ts'
import { KINDS } from '../init/templates.ts'
import type { Io } from '../io.ts'
import { ensureKitLink, LINK } from '../k6/kit-link.ts'

export type InitOptions = {
  io: Io
  /** Undefined: a profile, a mix and objectives that go together. */
  what: KindName | undefined
  /** Of the file; without it, it is called as what it is. */
  name: string | undefined
  json?: true
}

/** Those that one begins with, in the order in which they are told. */
const TOGETHER: readonly KindName[] = ['profile', 'mix', 'slo']

/**
 * Writes a file to start from, or three of them, into the working directory, and tells what to do next; for a scenario the link by which it
 * finds the kit as well. Throws a BreakwaterError: usage where the name does not do, or a file has it already.
 */
export function runInit({ io, what, name, json }: InitOptions): ExitCode {
  if (name !== undefined) checkName(name)
  const link = what === 'scenario' ? ensureKitLink(io.cwd, LINK) : null
  const files = (what === undefined ? TOGETHER : [what]).map((kind) => fileOf(kind, name ?? kind))
  writeNew(io.cwd, files)
  const next = what === undefined ? nextOfAll(files.map(({ file }) => file)) : (files[0]?.next ?? [])
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
  if (link === 'made') io.stdout(`${LINK}: made, a link to this installation; keep it out of version control`)
  for (const line of ['', 'Next:', ...next.map((command) => `  ${command}`)]) io.stdout(line)
  return EXIT.ok
}

function fileOf(what: KindName, name: string) {
  const kind = KINDS[what]
  const file = `${name}${kind.ending}`
  return { file, text: kind.text(name), kind: kind.what, next: kind.next(file) }
}

function nextOfAll([profile = '', mix = '', slo = '']: readonly string[]): string[] {
  return [
    'npx breakwater stub',
    `npx breakwater doctor --target ${profile}`,
    `npx breakwater smoke --target ${profile} --mix ${mix} --slo ${slo}`,
  ]
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return
  throw new BreakwaterError(`${JSON.stringify(name)} does not do as a name`, {
    hint: 'Expected letters, digits, hyphens and underscores, at most 64; the ending is added, and the file is written into this folder.',
  })
}

type NewFile = { file: string; text: string }

/**
 * Writes files into a folder, all or, where one of them is there already, none: nothing is overwritten. Throws a
 * BreakwaterError: usage where one is there, environment where one cannot be written.
 */
function writeNew(folder: string, files: readonly NewFile[]): void {
  for (const { file } of files) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false })) throw isThere(file)
  }
  for (const { file, text } of files) {
    try {
      writeFileSync(join(folder, file), text, { flag: 'wx' })
    } catch (cause) {
      throw cannotWrite(file, cause)
    }
  }
}

function isThere(file: string): BreakwaterError {
  return new BreakwaterError(`${file}: is there already, and nothing is overwritten`, {
    hint: 'Choose another name, or move the file.',
  })
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The working directory must be writable.',
    exitCode: EXIT.environment,
    cause,
  })
}

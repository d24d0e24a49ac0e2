import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import type { Stub } from '../../simulator/stub.ts'

/**
 * Writes a stub's profile, and beside it the demo wallets that it names: both for this user's eyes only. A profile that it wrote
 * before is written anew. Throws a BreakwaterError (usage) where something else is there, or the file cannot be written.
 */
export async function writeProfile(
  { profile, wallets }: Pick<Stub, 'profile' | 'wallets'>,
  { file, cwd }: { file: string; cwd: string },
): Promise<void> {
  const path = resolve(cwd, file)
  const named = `${profile.name}-wallets.json`
  const written = { ...profile, credentials: { ...profile.credentials, wallets: named } }
  await mustBeOurs(path, { file, name: profile.name })
  try {
    await writeFile(path, `${JSON.stringify(written, null, 2)}\n`, { mode: 0o600 })
    await writeFile(join(dirname(path), named), `${JSON.stringify(wallets, null, 2)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw new BreakwaterError(`${file}: the profile cannot be written: ${fileFailure(cause)}`, {
      hint: 'Name a file in a folder that exists and that you may write to.',
      cause,
    })
  }
}

/** What is there already, and is no profile of the name, is somebody's own. */
async function mustBeOurs(path: string, { file, name }: { file: string; name: string }): Promise<void> {
  // A device takes what comes.
  const there = await stat(path).catch(() => null)
  if (!there?.isFile()) return
  // One that cannot be read is told of by the attempt to write it.
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null || text.trim() === '' || nameIn(text) === name) return
  throw new BreakwaterError(`${file}: is there already, and is no profile of the stub`, {
    hint: `Name another file: it would be overwritten. Expected none, or a profile with the name "${name}".`,
  })
}

function nameIn(text: string): unknown {
  try {
    return JSON.parse(text)?.name
  } catch {
    return undefined
  }
}

import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import type { Stub } from '../../simulator/stub.ts'

/**
 * Writes a stub's profile, and next to it the files that it names: the demo wallets, and the certificate to trust if the stub speaks
 * TLS. Profile and wallets are for this user's eyes only. A profile that it wrote before is written again. Returns the whole path of
 * the certificate, or null. Throws a BreakwaterError (usage) if something else is there, or a file cannot be written.
 */
export async function writeProfile(
  { profile, wallets, ca = null }: Pick<Stub, 'profile' | 'wallets'> & { ca?: string | null },
  { file, cwd }: { file: string; cwd: string },
): Promise<string | null> {
  const path = resolve(cwd, file)
  const inFolder = (name: string) => join(dirname(path), name)
  const named = `${profile.name}-wallets.json`
  const caName = ca === null ? null : `${profile.name}-ca.pem`
  const written = { ...profile, ca: caName, credentials: { ...profile.credentials, wallets: named } }
  await mustBeOurs(path, { file, name: profile.name })
  const write = async (what: string, to: string, text: string, mode = 0o600) => {
    await writeFile(to, text, { mode }).catch((cause: unknown) => {
      throw new BreakwaterError(`${file}: ${what} cannot be written: ${fileFailure(cause)}`, {
        hint: 'Name a file in a folder that exists and that you may write to.',
        cause,
      })
    })
  }
  await write('the profile', path, `${JSON.stringify(written, null, 2)}\n`)
  await write(`${named} next to it`, inFolder(named), `${JSON.stringify(wallets, null, 2)}\n`)
  if (ca !== null && caName !== null) await write(`${caName} next to it`, inFolder(caName), ca, 0o644)
  return caName && inFolder(caName)
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

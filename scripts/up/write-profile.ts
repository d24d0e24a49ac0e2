import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import type { Stub } from '../../simulator/stub.ts'

/**
 * Writes a stub's profile, and beside it the demo wallets that it names: both for this user's eyes only. Throws a BreakwaterError
 * (usage) where the file cannot be written.
 */
export async function writeProfile(
  { profile, wallets }: Pick<Stub, 'profile' | 'wallets'>,
  { file, cwd }: { file: string; cwd: string },
): Promise<void> {
  const path = resolve(cwd, file)
  const named = `${profile.name}-wallets.json`
  const written = { ...profile, credentials: { ...profile.credentials, wallets: named } }
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

/** Files that a person names, and those that somebody else's file names in turn: each may lead to a device, or be of any size. */
import { createReadStream, readFileSync, statSync } from 'node:fs'

/** More than any profile, plan, world or list of wallets holds. */
export const GIVEN_MIB_MAX = 16

const BYTES_MAX = GIVEN_MIB_MAX << 20
const TOO_LARGE = `it is larger than ${GIVEN_MIB_MAX} MiB`

/** The text of a file that the user named; of a pipe too, such as `<(command)` of a shell. Throws as node:fs does, and if it is too large. */
export async function readGivenFile(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of createReadStream(file)) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error(TOO_LARGE)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The text of a file that must be one: a pipe may never end. Throws as node:fs does, if it is a pipe or a device, and if it is too large. */
export function readRegularFile(file: string): string {
  const stats = statSync(file)
  // Reading a folder fails with a message of its own.
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is a pipe or a device, not a file')
  if (stats.size > BYTES_MAX) throw new Error(TOO_LARGE)
  return readFileSync(file, 'utf8')
}

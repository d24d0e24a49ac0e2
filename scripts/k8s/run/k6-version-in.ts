import { open } from 'node:fs/promises'

/** More than the first line of any series. */
const HEADER_BYTES = 4096

/** The version of the k6 that wrote the first of the files that has a header; null: none has. */
export async function k6VersionIn(files: readonly string[]): Promise<string | null> {
  for (const file of files) {
    const version = versionIn(await firstLine(file))
    if (version !== null) return version
  }
  return null
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file).catch(() => null)
  if (handle === null) return ''
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEADER_BYTES) })
    return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? ''
  } finally {
    await handle.close()
  }
}

function versionIn(line: string): string | null {
  try {
    const { type, k6 } = JSON.parse(line)
    return type === 'header' && typeof k6 === 'string' ? k6 : null
  } catch {
    return null
  }
}

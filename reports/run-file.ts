/** Files of a run folder that may come from a stranger: its links could lead to any file of the reader, its pipes never end. */
import { constants, type FileHandle, lstat, open, readdir } from 'node:fs/promises'

// Opening a pipe without O_NONBLOCK waits for its writer.
const MODE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file of a run folder. Throws as node:fs does, and an error that names the kind for a link, a pipe or a device. */
export async function openRunFile(file: string): Promise<FileHandle> {
  const handle = await open(file, MODE).catch(async (cause) => {
    throw (await isLink(file)) ? new Error(LINK) : cause.code === 'ENXIO' ? new Error(NO_FILE) : cause
  })
  const stats = await handle.stat()
  // A folder can be opened, and fails when it is read, with a message of its own.
  if (stats.isFile() || stats.isDirectory()) return handle
  await handle.close()
  throw new Error(NO_FILE)
}

/** The text of a regular file of a run folder. Throws as `openRunFile` does, and if it is larger than `bytesMax`. */
export async function readRunFile(
  file: string,
  { bytesMax = Number.POSITIVE_INFINITY }: { bytesMax?: number } = {},
): Promise<string> {
  const handle = await openRunFile(file)
  try {
    if ((await handle.stat()).size > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** The names in a folder of a run folder, none if it does not exist. Throws if it is a link. */
export async function namesInRunFolder(dir: string): Promise<string[]> {
  if (await isLink(dir)) throw new Error(LINK)
  return readdir(dir).catch(() => [])
}

const LINK = 'it is a link, and links in a run folder are not followed'
const NO_FILE = 'it is a pipe or a device, not a file'

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

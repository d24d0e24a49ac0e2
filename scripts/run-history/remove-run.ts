/** Removes a run folder, and nothing that no run writes. */
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { CLAIM } from '../make-folder.ts'

/** Everything that a run writes, including partial files of a killed run. */
const FILES: ReadonlySet<string> = new Set(Object.values(RUN_FILES))
const HALF_WRITTEN = /\.[0-9a-f-]+\.tmp$/
/** Files of a search until they are merged. */
const TRIALS = 'trials'
/** Folders of a comparison with the runs of each side. */
const SIDES: ReadonlySet<string> = new Set(['a', 'b'])

/** Removes run.json last, so that an interrupted removal leaves a run folder. Throws errors of node:fs. */
export async function removeRun(dir: string): Promise<void> {
  const names = await readdir(dir)
  for (const name of names.filter((each) => each !== RUN_FILES.run))
    await rm(join(dir, name), { recursive: true })
  await rm(join(dir, RUN_FILES.run))
  await rmdir(dir)
}

/** Files in a run folder that no run writes. Throws errors of node:fs. */
export async function findForeign(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const foreign = entries.map(async (entry) => {
    if (entry.isFile()) return FILES.has(entry.name) || HALF_WRITTEN.test(entry.name) ? [] : [entry.name]
    if (!entry.isDirectory()) return [entry.name]
    if (entry.name === TRIALS || entry.name === CLAIM) return []
    return SIDES.has(entry.name) ? findForeignInSide(dir, entry.name) : [`${entry.name}/`]
  })
  return (await Promise.all(foreign)).flat()
}

async function findForeignInSide(dir: string, side: string): Promise<string[]> {
  const entries = await readdir(join(dir, side), { withFileTypes: true })
  const foreign = entries.map(async (entry) =>
    entry.isDirectory()
      ? (await findForeign(join(dir, side, entry.name))).map((path) => join(side, entry.name, path))
      : [join(side, entry.name)],
  )
  return (await Promise.all(foreign)).flat()
}

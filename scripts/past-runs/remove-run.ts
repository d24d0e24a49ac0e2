import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { CLAIM } from '../claim-folder.ts'

/** All that a run writes: its files, those that a killed one left half-written, and folders. */
const FILES: ReadonlySet<string> = new Set(Object.values(RUN_FILES))
const HALF_WRITTEN = /\.[0-9a-f-]+\.tmp$/
/** Of a search: what its trials write until they are merged. */
const TRIALS = 'trials'
/** Of a comparison: the runs of each side, in folders of their own. */
const SIDES: ReadonlySet<string> = new Set(['a', 'b'])

/**
 * Removes a run folder, run.json last: cut off halfway, it is still a run folder. Where it holds anything that no run writes,
 * nothing is removed, and what that is comes back. Throws as node:fs does.
 */
export async function removeRun(dir: string): Promise<string[]> {
  const strange = await strangeIn(dir)
  if (strange.length > 0) return strange
  const names = await readdir(dir)
  for (const name of names.filter((each) => each !== RUN_FILES.run))
    await rm(join(dir, name), { recursive: true })
  await rm(join(dir, RUN_FILES.run))
  await rmdir(dir)
  return []
}

/** Paths in a run folder that no run writes. */
export async function strangeIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const strange = entries.map(async (entry) => {
    if (entry.isFile()) return FILES.has(entry.name) || HALF_WRITTEN.test(entry.name) ? [] : [entry.name]
    if (!entry.isDirectory()) return [entry.name]
    if (entry.name === TRIALS || entry.name === CLAIM) return []
    return SIDES.has(entry.name) ? strangeInSide(dir, entry.name) : [`${entry.name}/`]
  })
  return (await Promise.all(strange)).flat()
}

async function strangeInSide(dir: string, side: string): Promise<string[]> {
  const entries = await readdir(join(dir, side), { withFileTypes: true })
  const strange = entries.map(async (entry) =>
    entry.isDirectory()
      ? (await strangeIn(join(dir, side, entry.name))).map((path) => join(side, entry.name, path))
      : [join(side, entry.name)],
  )
  return (await Promise.all(strange)).flat()
}

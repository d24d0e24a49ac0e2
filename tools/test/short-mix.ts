import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectPath } from '../../scripts/project.ts'

const SECONDS = 4

/** Writes the mix `smoke`, shortened to four seconds, and returns the value for `--mix`. */
export function writeShortMix(folder: string): string {
  const mix = JSON.parse(readFileSync(projectPath('fixtures/mixes/smoke.json'), 'utf8'))
  writeFileSync(join(folder, 'short.json'), JSON.stringify({ ...mix, durationSeconds: SECONDS }))
  return './short.json'
}

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A hash of what the build of k6 depends on: go.mod, go.sum and every .go file but the tests, in any depth. */
export async function hashSource(k6SourceDir: string): Promise<string> {
  const names = (await readdir(k6SourceDir, { recursive: true })).filter(isSource).sort()
  const hash = createHash('sha256')
  for (const name of names) {
    const content = await readFile(join(k6SourceDir, name))
    hash.update(`${name}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

function isSource(name: string): boolean {
  return name === 'go.mod' || name === 'go.sum' || (name.endsWith('.go') && !name.endsWith('_test.go'))
}

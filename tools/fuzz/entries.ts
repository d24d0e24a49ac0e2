/** What a case's working directory holds: files, and what strangers put in their place. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Draw } from './draw.ts'
import { SENTINEL_FILE } from './hostile-values.ts'
import { mutatedFile } from './mutate-text.ts'

/** `path` is relative to the working directory. */
export type Entry =
  | { path: string; kind: 'file'; content: Buffer; mode?: number }
  | { path: string; kind: 'link'; to: string }
  | { path: string; kind: 'folder' }
  | { path: string; kind: 'pipe' }

export type Example = { path: string; text: string }

/** Writes them, with the folders above; the placeholders in files are replaced, such as `{REST}`. */
export function writeEntries(
  dir: string,
  entries: readonly Entry[],
  placeholders: Record<string, string>,
): void {
  for (const entry of entries) {
    const path = join(dir, entry.path)
    mkdirSync(dirname(path), { recursive: true })
    if (entry.kind === 'folder') mkdirSync(path, { recursive: true })
    else if (entry.kind === 'pipe') execFileSync('mkfifo', [path])
    else if (entry.kind === 'link') symlinkSync(entry.to, path)
    else {
      writeFileSync(path, filled(entry.content, placeholders))
      // Such as wallets must have.
      chmodSync(path, entry.mode ?? 0o600)
    }
  }
}

function filled(content: Buffer, placeholders: Record<string, string>): Buffer {
  const names = Object.keys(placeholders).filter((name) => content.includes(name))
  // latin1 keeps each byte, also of what is no text.
  return names.length === 0
    ? content
    : Buffer.from(
        names.reduce(
          (text, name) => text.replaceAll(name, placeholders[name] ?? ''),
          content.toString('latin1'),
        ),
        'latin1',
      )
}

/** The example as it is. */
export function asIs({ path, text }: Example): Entry {
  return { path, kind: 'file', content: Buffer.from(text) }
}

/**
 * Some of the examples damaged, at least one: their contents, or what stands in their place. With `pipes`, pipes too: a user may name one,
 * and then waits for its writer, but a run folder may hold none.
 */
export function damaged(examples: readonly Example[], draw: Draw, { pipes = false } = {}): Entry[] {
  const chosen = new Set([draw.pick(examples)])
  for (const example of examples) if (draw.chance(0.15)) chosen.add(example)
  return examples.flatMap((example) => {
    if (!chosen.has(example)) return [asIs(example)]
    const { path, text } = example
    if (draw.chance(0.06)) return inItsPlace(path, { draw, pipes })
    return [{ path, kind: 'file' as const, content: mutatedFile(path, text, draw) }]
  })
}

function inItsPlace(path: string, { draw, pipes }: { draw: Draw; pipes: boolean }): Entry[] {
  const up = '../'.repeat(path.split('/').length - 1)
  return draw.pick<() => Entry[]>([
    () => [],
    () => (pipes ? [{ path, kind: 'pipe' }] : []),
    () => [{ path, kind: 'folder' }],
    () => [{ path, kind: 'link', to: `${up}${SENTINEL_FILE}` }],
    () => [{ path, kind: 'link', to: path.split('/').at(-1) ?? '' }],
    () => [{ path, kind: 'link', to: '/dev/zero' }],
    () => [{ path, kind: 'link', to: 'nowhere' }],
    () => [{ path, kind: 'file', content: Buffer.from('{}'), mode: 0 }],
  ])()
}

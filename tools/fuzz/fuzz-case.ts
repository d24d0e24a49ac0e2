import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Draw, deriveSeed, drawFrom, SENTINEL_FILE } from './draw.ts'
import type { Misbehavior } from './misbehaviors.ts'
import { mutateFile } from './mutate-text.ts'

export type FuzzCase = {
  /** A name of CASE_KINDS. */
  kind: string
  argv: readonly string[]
  entries: readonly Entry[]
  /** Behavior of the target's listeners, response by response; null: no target. */
  server: ServerPlan | null
  /** Paths that the command may write, relative to the working directory; `*` matches any text. */
  writes: readonly string[]
  /** Servers get SIGTERM as soon as they print, after a visit of the live view, if they have one. */
  isServer: boolean
  /** Runs in a separate process instead of one that runs many cases. */
  inProcess: boolean
  needsK6: boolean
  endsWithinMs: number
}

export type ServerPlan = {
  /** `h2`: TLS; clients that negotiate HTTP/2 get frames from `rest`, others get correct responses. */
  transport: 'http' | 'https' | 'h2'
  rest: readonly Misbehavior[]
  feed: readonly Misbehavior[]
  control: readonly Misbehavior[]
}

export type Drawn = Pick<FuzzCase, 'argv' | 'entries'> & Partial<Omit<FuzzCase, 'kind'>>

export type CaseKind = { name: string; weight: number; draw: (draw: Draw) => Drawn }

/** Share of cases that run as a user runs them, which takes ten times as long. */
const SHARE_IN_PROCESS = 0.03
const ENDS_WITHIN_MS = 30_000
/** A command waits for a server several times. */
const SERVED_WITHIN_MS = 60_000

/** The case of this number, determined by the seed and the kinds, regardless of other cases. */
export function drawCase(
  kinds: readonly CaseKind[],
  { seed, number }: { seed: number; number: number },
): FuzzCase {
  return drawFrom(deriveSeed(seed, number), (draw) => {
    const { name, draw: drawKind } = draw.weighted(kinds.map((kind) => [kind.weight, kind] as const))
    const inProcess = draw.chance(SHARE_IN_PROCESS)
    const drawn = drawKind(draw)
    return {
      ...{ server: null, writes: [], isServer: false, inProcess, needsK6: false },
      endsWithinMs: drawn.server ? SERVED_WITHIN_MS : ENDS_WITHIN_MS,
      ...drawn,
      kind: name,
    }
  })
}

/** An entry of a case's working directory: a file, or something else at its path, which is relative. */
export type Entry =
  | { path: string; kind: 'file'; content: Buffer; mode?: number }
  | { path: string; kind: 'link'; to: string }
  | { path: string; kind: 'folder' }
  | { path: string; kind: 'pipe' }

export type Example = { path: string; text: string }

/** Writes the entries with their parent folders, and replaces placeholders such as `{REST}` in files. */
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
      // Wallet files require such a mode.
      chmodSync(path, entry.mode ?? 0o600)
    }
  }
}

function filled(content: Buffer, placeholders: Record<string, string>): Buffer {
  const names = Object.keys(placeholders).filter((name) => content.includes(name))
  // latin1 preserves every byte, even if the content is not text.
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

export function asIs({ path, text }: Example): Entry {
  return { path, kind: 'file', content: Buffer.from(text) }
}

/**
 * Damages at least one of the examples: its content, or its kind of file. With `pipes`, may create named pipes: a user may name
 * one, and then waits for its writer, but a run folder may not contain one.
 */
export function damaged(examples: readonly Example[], draw: Draw, { pipes = false } = {}): Entry[] {
  const chosen = new Set([draw.pick(examples)])
  for (const example of examples) if (draw.chance(0.15)) chosen.add(example)
  return examples.flatMap((example) => {
    if (!chosen.has(example)) return [asIs(example)]
    const { path, text } = example
    if (draw.chance(0.06)) return inItsPlace(path, { draw, pipes })
    return [{ path, kind: 'file' as const, content: mutateFile(path, text, draw) }]
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

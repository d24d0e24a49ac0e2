import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TimelineLine, timelineLineSchema } from '../../contract/run.ts'
import { runCli } from '../../scripts/commands/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { quantile, spread } from './measuring.ts'

const ROUNDS = 3
const SHARE = 0.99

/** A deployment drops a thousand sockets, with stub and k6 on one machine: total duration, and time until they are back. */
export async function benchReconnectStorm({ print }: { print: (line: string) => void }): Promise<void> {
  const rounds: { wholeSeconds: number; backSeconds: number; refused: number; sockets: number }[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await runOnce())
  const [first] = rounds
  print(`reconnect-storm, ${first?.sockets} sockets, medians of ${ROUNDS} runs (minimum to maximum):`)
  print(
    `  total, including report and timeline: ${spread(rounds.map((one) => one.wholeSeconds))} s (target 60 s)`,
  )
  print(`  99 % synchronized again: ${spread(rounds.map((one) => one.backSeconds))} s after the restart`)
  print(`  handshakes rejected by the fault plan: ${spread(rounds.map((one) => one.refused))}`)
}

async function runOnce() {
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-storm-'))
  try {
    const startMs = performance.now()
    const exitCode = await runCli({
      argv: ['repro', 'run', 'reconnect-storm', '--output', join(dir, 'run')],
      env: process.env,
      cwd: dir,
      stdout: () => {},
      stderr: () => {},
      terminal: NO_TERMINAL,
      interrupted: new AbortController().signal,
    })
    const wholeSeconds = (performance.now() - startMs) / 1000
    if (exitCode !== 0) throw new Error(`the storm exited with ${exitCode}`)
    const text = await readFile(join(dir, 'run', 'timeline.ndjson'), 'utf8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => timelineLineSchema.parse(JSON.parse(line)))
    return { wholeSeconds, ...computeFigures(lines) }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** When each socket got its last `synchronized` since the restart. */
function computeFigures(lines: readonly TimelineLine[]) {
  const restartMs = lines.find(({ kind, text }) => kind === 'world' && text === '/gateway/restart')?.atMs ?? 0
  const backMs = new Map<string, number>()
  for (const { actor, atMs, kind, text } of lines) {
    if (kind === 'received' && text.includes('"synchronized"')) backMs.set(actor, atMs - restartMs)
  }
  const times = [...backMs.values()].sort((a, b) => a - b)
  return {
    sockets: times.length,
    backSeconds: quantile(times, SHARE) / 1000,
    refused: lines.filter(({ kind }) => kind === 'fault').length,
  }
}

import { readFile } from 'node:fs/promises'
import type { Io } from '../io.ts'

const LOOK_MS = 500
/** How often a line goes to a log that nobody watches. */
const LOG_LINE_MS = 10_000

/** Tells how far the probes are: one line that changes on a terminal, a plain line now and then elsewhere. */
export function followFindings(options: { file: string; rules: number; io: Io }): { stop(): Promise<void> } {
  const { file, rules, io } = options
  const startedMs = Date.now()
  let toldMs = Number.NEGATIVE_INFINITY
  const tell = async (last: 'last' | 'more') => {
    const { judged, failed } = await count(file)
    const seconds = Math.round((Date.now() - startedMs) / 1000)
    const line = `probing: ${judged} of ${rules} rules judged, ${failed} failed, ${seconds} s`
    if (io.isTerminal) io.stderr(`\r\x1b[2K${last === 'last' ? '' : line}`)
    else if (last === 'last' || (judged > 0 && Date.now() - toldMs >= LOG_LINE_MS)) {
      toldMs = Date.now()
      io.stderr(`${line}\n`)
    }
  }
  const tellInterrupted = () => {
    io.stderr(
      `${io.isTerminal ? '\r\x1b[2K' : ''}interrupted: writing the report; Ctrl-C again ends at once\n`,
    )
  }
  io.interrupted.addEventListener('abort', tellInterrupted)
  io.stderr(io.isTerminal ? '' : `probing ${rules} rules\n`)
  const timer = setInterval(() => void tell('more'), LOOK_MS)
  return {
    async stop() {
      clearInterval(timer)
      io.interrupted.removeEventListener('abort', tellInterrupted)
      await tell('last')
    },
  }
}

async function count(file: string): Promise<{ judged: number; failed: number }> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line.startsWith('{"finding":1'))
  return { judged: lines.length, failed: lines.filter((line) => line.includes('"verdict":"fail"')).length }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { k6Env } from '../../scripts/k6/k6-args.ts'

/** A k6 script that takes its scenarios from BREAKWATER_LEAN_SCENARIOS. */
export type MeasuredScript = { file: string; exec: string; env: Record<string, string> }

export type K6Measure = { requests: number; cpuMs: number; peakKb: number }

const LOOK_MS = 50

/** Runs the scenario. k6's processor time and peak memory are read while it runs: nobody tells them of a process that has ended. */
export async function measureK6(
  { k6, requests }: { k6: string; requests: () => Promise<number> },
  script: MeasuredScript,
  scenario: object,
): Promise<K6Measure> {
  const before = await requests()
  const args = [
    'run',
    '--quiet',
    '--summary-mode=disabled',
    '--no-thresholds',
    '--no-usage-report',
    '--address=',
    script.file,
  ]
  const child = spawn(k6, args, {
    env: {
      ...k6Env(process.env),
      ...script.env,
      BREAKWATER_LEAN_SCENARIOS: JSON.stringify({ lean: { ...scenario, exec: script.exec } }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const measure = { cpuMs: 0, peakKb: 0 }
  const timer = setInterval(() => {
    look(child.pid ?? 0).then(
      (seen) => Object.assign(measure, seen),
      () => {},
    )
  }, LOOK_MS)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0 || errors.includes('Error'))
    throw new Error(`k6 ended with ${code} (${script.file}): ${errors.slice(0, 2000)}`)
  return { ...measure, requests: (await requests()) - before }
}

const TICK_MS = 10

async function look(pid: number): Promise<{ cpuMs: number; peakKb: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])
  if (Number.isNaN(peakKb)) throw new Error('it has ended')
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, peakKb }
}

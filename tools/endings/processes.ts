import { readdirSync, readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 200

/** Waits for the end of all processes whose command line or environment names the folder; returns those that are left then. */
export async function processesLeft(folder: string, withinMs: number): Promise<string[]> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const left = processesOf(folder)
    if (left.length === 0 || performance.now() >= endMs) return left
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/** Command lines; that of a zombie is empty, as is its environment. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(folder) || read(pid, 'environ').includes(folder))
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ').trim()}`)
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it has ended, or is not ours
  }
}

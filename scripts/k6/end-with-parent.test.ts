import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'
import { endWithParent } from './run-k6.ts'

test('a process that catches SIGINT ends by it when its parent is killed', async () => {
  expect(await saidAfterKill('process.on("SIGINT", () => { console.log("SIGINT"); process.exit() })')).toBe(
    'ready\nSIGINT\n',
  )
})

test('a process that ignores SIGINT and SIGTERM is killed', async () => {
  const stubborn = 'for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => console.log(name))'
  expect(await saidAfterKill(stubborn)).toBe('ready\nSIGINT\nSIGTERM\n')
})

test('k6 gets SIGINT when its command is killed', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder()
  const [ready, ended] = [join(folder, 'ready'), join(folder, 'ended')]
  const k6 = `
    const { writeFileSync } = require('node:fs')
    process.on('SIGINT', () => { writeFileSync(${JSON.stringify(ended)}, 'SIGINT'); process.exit() })
    ${LIVE}; writeFileSync(${JSON.stringify(ready)}, '')`
  const options = {
    binary: process.execPath,
    args: ['-e', k6],
    cwd: folder,
    deadlineMs: 60_000,
    graceMs: 1000,
  }
  const command = startModule(`
    import { runK6 } from ${JSON.stringify(projectPath('scripts/k6/run-k6.ts'))}
    const files = { stdoutFile: ${JSON.stringify(join(folder, 'out'))}, stderrFile: ${JSON.stringify(join(folder, 'err'))} }
    await runK6({ ...${JSON.stringify(options)}, ...files, env: process.env })`)
  await vi.waitFor(() => expect(existsSync(ready)).toBe(true), WAIT)
  command.kill('SIGKILL')
  await vi.waitFor(() => expect(existsSync(ended) && readFileSync(ended, 'utf8')).toBe('SIGINT'), WAIT)
})

test('an ended watch leaves the process alone', async () => {
  const child = spawn(process.execPath, ['-e', LIVE], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  endWithParent(child.pid ?? 0)()
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM'])
})

// Longer than any test, but finite, in case the tests are killed.
const LIVE = 'setTimeout(() => {}, 60_000)'
const WAIT = { timeout: 30_000, interval: 50 }

/** Output of a grandchild whose parent watches it and is killed. */
async function saidAfterKill(source: string): Promise<string> {
  const grandchild = `${source}; ${LIVE}; console.log("ready")`
  const parent = `
    import { spawn } from 'node:child_process'
    import { endWithParent } from ${JSON.stringify(projectPath('scripts/k6/run-k6.ts'))}
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    })
    endWithParent(child.pid, { stepSeconds: 1 })`
  const child = startModule(parent)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    if (said === '') child.kill('SIGKILL')
    said += text
  })
  // The grandchild keeps the pipe open until it exits.
  await once(child.stdout, 'end')
  return said
}

function startModule(source: string) {
  const child = spawn(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', source],
    {
      cwd: projectPath('.'),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findKubectl, openCluster } from './open-cluster.ts'
import { openProxy } from './open-proxy.ts'

const WAIT = { timeout: 20_000 }

/** A fake kubectl as a shell script. */
function kubectlThat(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-kubectl-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'kubectl')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

test('kubectl lives until it is closed, in a private folder', async () => {
  const command = kubectlThat(`echo $$ > "$0.pid"; echo "Starting to serve on $2"; exec tail -f /dev/null`)
  const { socket, close } = await openProxy({ command, env: process.env })
  const pid = Number(readFileSync(`${command}.pid`, 'utf8'))
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
  expect(process.kill(pid, 0)).toBe(true)
  await close()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(existsSync(dirname(socket))).toBe(false)
})

test('both end with a process that is killed', async () => {
  const command = kubectlThat(`echo $$ > "$0.pid"; echo "Starting to serve on $2"; exec tail -f /dev/null`)
  const opening = `import { openProxy } from ${JSON.stringify(import.meta.resolve('./open-proxy.ts'))}
    const { socket } = await openProxy({ command: ${JSON.stringify(command)}, env: process.env })
    console.log(socket)`
  const script = `${command}.mts`
  writeFileSync(script, opening)
  const child = spawn(process.execPath, ['--import', './tools/typescript.mjs', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [socket] = await once(child.stdout.setEncoding('utf8'), 'data')
  const pid = Number(readFileSync(`${command}.pid`, 'utf8'))
  child.kill('SIGKILL')
  await vi.waitFor(() => {
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(existsSync(dirname(socket.trim()))).toBe(false)
  }, WAIT)
})

test('quotes a kubectl that does not start', async () => {
  const command = kubectlThat('echo "error: no such option" >&2; exit 1')
  await expect(openProxy({ command, env: process.env })).rejects.toMatchObject({
    message: 'kubectl proxy did not start: error: no such option',
    exitCode: 3,
  })
})

test('Ctrl-C before kubectl is up is an interruption', async () => {
  const aborting = new AbortController()
  const opening = openProxy({
    command: kubectlThat('exec tail -f /dev/null'),
    env: process.env,
    signal: aborting.signal,
  })
  const ended = expect(opening).rejects.toMatchObject({
    message: 'interrupted before any run started',
    exitCode: 130,
  })
  // The listener is added after the temporary folder was made.
  await vi.waitFor(() => expect(getEventListeners(aborting.signal, 'abort')).toHaveLength(1), WAIT)
  aborting.abort('SIGINT')
  await ended
})

test('finds the namespace of the context, or default', async () => {
  const find = (script: string, env: NodeJS.ProcessEnv = {}) =>
    findKubectl({ PATH: process.env.PATH, BREAKWATER_KUBECTL: kubectlThat(script), ...env })
  expect(await find('echo team')).toMatchObject({ namespace: 'team' })
  expect(await find('true')).toMatchObject({ namespace: 'default' })
  const none = 'echo "error: current-context must exist" >&2; exit 1'
  await expect(find(none, { KUBECONFIG: '/nowhere' })).rejects.toMatchObject({
    message: 'kubectl has no cluster (KUBECONFIG=/nowhere): error: current-context must exist',
    hint: expect.stringContaining('KUBECONFIG'),
    exitCode: 3,
  })
  await expect(find(none, { KUBECONFIG: '' })).rejects.toThrow('(KUBECONFIG is not set)')
  // In a pod it needs no file.
  expect(await find(none, { KUBERNETES_SERVICE_HOST: '10.96.0.1' })).toMatchObject({ namespace: 'default' })
  await expect(findKubectl({ BREAKWATER_KUBECTL: '/nonexistent/kubectl' })).rejects.toMatchObject({
    message: 'kubectl could not be started: /nonexistent/kubectl',
    exitCode: 3,
  })
})

/** An API server with one response, on the socket that the option names. */
const SERVER = `
  const socket = process.argv.at(-1).replace('--unix-socket=', '')
  require('node:http').createServer((request, response) => {
    response.end(JSON.stringify({ items: [{ path: request.url }] }))
  }).listen(socket, () => console.log('Starting to serve on ' + socket))`

test('opens the namespace of the context, or the given one', async () => {
  const command = kubectlThat(
    `if [ "$1" = config ]; then echo team; else exec "${process.execPath}" -e "$(cat "$0.js")" -- "$2"; fi`,
  )
  writeFileSync(`${command}.js`, SERVER)
  const env = { ...process.env, BREAKWATER_KUBECTL: command }
  for (const [namespace, path] of [
    [null, '/api/v1/namespaces/team/pods'],
    ['other', '/api/v1/namespaces/other/pods'],
  ] as const) {
    const cluster = await openCluster({ env, namespace })
    onTestFinished(cluster.close)
    expect(await cluster.list('Pod')).toEqual([{ path }])
  }
})

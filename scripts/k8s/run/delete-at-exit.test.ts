import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'

const WAIT = { timeout: 20_000 }

/** Runs code with a fake kubectl that records its arguments. */
function processThat(does: string): { asked: string } {
  const folder = temporaryFolder()
  const kubectl = join(folder, 'kubectl')
  const asked = join(folder, 'asked')
  writeFileSync(kubectl, `#!/bin/sh\necho "$@" > ${asked}.part && mv ${asked}.part ${asked}\n`)
  chmodSync(kubectl, 0o755)
  const script = join(folder, 'process.mts')
  writeFileSync(
    script,
    `import { deleteAtExit } from ${JSON.stringify(import.meta.resolve('./clean-up.ts'))}
     const env = { ...process.env, BREAKWATER_KUBECTL: ${JSON.stringify(kubectl)} }
     const guard = deleteAtExit({ env, namespace: 'team', name: 'mine' })
     ${does}`,
  )
  spawnSync(process.execPath, ['--import', './tools/typescript.mjs', script], { stdio: 'inherit' })
  return { asked }
}

test('a process that is forced to exit leaves the deletion to kubectl', async () => {
  const { asked } = processThat('process.exit(130)')
  await vi.waitFor(() => expect(existsSync(asked)).toBe(true), WAIT)
  expect(readFileSync(asked, 'utf8')).toBe(
    'delete testruns.k6.io,pods,services,secrets,configmaps,networkpolicies --selector=app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=mine --namespace=team --wait=false\n',
  )
})

test('a process that has deleted everything leaves nothing to do', () => {
  const { asked } = processThat('guard.release()')
  expect(existsSync(asked)).toBe(false)
})

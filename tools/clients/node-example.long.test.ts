import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { givenStub } from '../test/given-stub.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

const MAIN = projectPath('examples/clients/node/main.ts')

test('main.ts runs, and Ctrl-C ends it and its session', async () => {
  const folder = temporaryFolder()
  const { stub, writeProfile, control } = await givenStub(folder)
  const { next, end } = start([writeProfile()], folder)
  const { revision } = stub.world.views.protocolState()
  expect(await next()).toMatch(
    new RegExp(`^following 3 rooms; at revision ${revision} 1000 are worth [0-9]+$`),
  )
  expect(await end()).toEqual([0, null])
  expect(await control('/sockets')).toEqual({ sockets: [] })
})

test('main.ts reports a missing profile', async () => {
  const { next, closed } = start(['none.json'], temporaryFolder(), 'stderr')
  expect(await next()).toBe('main.ts: none.json: cannot be read: there is no such file or folder')
  expect(await closed).toEqual([2, null])
})

function start(args: string[], cwd: string, output: 'stdout' | 'stderr' = 'stdout') {
  const child = spawn(process.execPath, ['--import', projectPath('tools/typescript.mjs'), MAIN, ...args], {
    cwd,
  })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child[output] })[Symbol.asyncIterator]()
  return {
    closed,
    next: async () => (await lines.next()).value,
    end() {
      child.kill('SIGINT')
      return closed
    },
  }
}

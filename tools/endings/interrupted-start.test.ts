import { type ChildProcess, fork } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import type { Io } from '../../scripts/io.ts'
import { openLoadWorld } from '../../scripts/load/open-load-world.ts'

vi.mock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<{ fork: typeof fork }>()
  return { ...original, fork: vi.fn(original.fork) }
})

const PLAN = { world: 'tiny', seed: 1, choices: 'default', mutant: null, target: null } as const

const IO = {} as Io // as: the own stub uses none of it

/** Interrupts the next processes in the moment in which they are started. */
async function interruptNext(count: number): Promise<void> {
  const original = (await vi.importActual('node:child_process')) as { fork: typeof fork }
  for (let place = 0; place < count; place++) {
    vi.mocked(fork).mockImplementationOnce((...args: Parameters<typeof fork>) => {
      const child: ChildProcess = original.fork(...args)
      child.kill('SIGINT')
      return child
    })
  }
}

test('a stub whose process a Ctrl-C reaches before it leaves the process group is started again', async () => {
  await interruptNext(1)
  const { close } = await openLoadWorld(PLAN, IO)
  expect(fork).toHaveBeenCalledTimes(2)
  await close()
})

test('a stub whose process keeps ending is an error', async () => {
  await interruptNext(2)
  await expect(openLoadWorld(PLAN, IO)).rejects.toThrow('the stub could not be started')
})

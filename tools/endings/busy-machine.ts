import { spawn } from 'node:child_process'
import { once } from 'node:events'

const LOOPS = 2

/** Runs the work with endless loops beside it, which want a processor each. */
export async function onBusyMachine<T>(work: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: LOOPS }, () =>
    // They end by themselves should this process be killed.
    spawn(
      process.execPath,
      ['-e', 'const { ppid } = process; while (process.ppid === ppid) for (let i = 0; i < 1e8; i++);'],
      {
        stdio: 'ignore',
      },
    ),
  )
  try {
    return await work()
  } finally {
    await Promise.all(
      loops.map(async (loop) => {
        const ended = once(loop, 'exit')
        loop.kill('SIGKILL')
        await ended
      }),
    )
  }
}

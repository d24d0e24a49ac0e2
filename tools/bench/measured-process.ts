import { type ChildProcess, fork } from 'node:child_process'
import { projectPath } from '../../scripts/project.ts'

/** A script of the project in a process of its own, which answers each message with one. */
export type MeasuredProcess<Request> = {
  /** Rejects where the process ends before it answers. */
  ask<Answer>(request: Request): Promise<Answer>
  end(): void
}

/** Resolves with the process and the first message, which it sends by itself once it is ready. */
export async function startMeasured<Request extends object, Ready>(
  script: string,
): Promise<{ process: MeasuredProcess<Request>; ready: Ready }> {
  const child = fork(projectPath(script), { execArgv: ['--import', './tools/typescript.mjs'] })
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with exit code ${code}`)))
  })
  ended.catch(() => {}) // nobody asks a process that has ended as it was told to
  const answer = <Answer>() => Promise.race([nextMessage<Answer>(child), ended])
  const ready = await answer<Ready>()
  return {
    ready,
    process: {
      ask(request) {
        const answered = answer<never>()
        child.send(request)
        return answered
      },
      end: () => child.disconnect(),
    },
  }
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Message)) // as: what that script answers with
  })
}

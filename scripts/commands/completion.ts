import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { bashScript } from './completion/bash-script.ts'
import { fishScript } from './completion/fish-script.ts'
import { zshScript } from './completion/zsh-script.ts'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

type CompletionOptions = { io: Io; shell: keyof typeof SHELLS }

export function runCompletion({ io, shell }: CompletionOptions): ExitCode {
  io.document(SHELLS[shell]())
  return EXIT.ok
}

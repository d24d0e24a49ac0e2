import type { Command } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'

/** Takes what a command ended with; `server` where only a signal ends it, which is then no interruption. */
export type Done = (code: ExitCode, kind?: 'server') => void

/** Gives a bare command its description, its options, and what it does. */
export type CommandPart = (command: Command, io: Io, done: Done) => void

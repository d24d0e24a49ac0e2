/** Runs the stub in its own process, so that generating and judging a load take no time from it. */
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'

export type StubReady = {
  profile: Profile
  wallets: readonly Wallet[]
  apiTokens: readonly string[]
  controlToken: string
}
export type StubReply =
  | { ready: StubReady }
  | { failed: { message: string; hint?: string; exitCode: number } }

/** Starts on a message with its options; ends with the parent process. */
process.once('message', (options: StubOptions) => void serve(options))
process.once('disconnect', () => process.exit())

async function serve(options: StubOptions): Promise<void> {
  process.send?.(await startAndReply(options))
}

async function startAndReply(options: StubOptions): Promise<StubReply> {
  try {
    const { profile, wallets, apiTokens, controlToken } = await startStub(options)
    return { ready: { profile, wallets, apiTokens, controlToken } }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const { message, hint, exitCode } = error
    return { failed: { message, exitCode, ...(hint !== undefined && { hint }) } }
  }
}

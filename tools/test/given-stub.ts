import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'

export type GivenStub = {
  stub: Stub
  /** In the folder: a profile of the stub, as a user would give it, and the wallets that it names, mode 0600. */
  writeProfile(options?: { wallets?: readonly Wallet[]; more?: Partial<Profile> }): string
  /** Asks the control API. */
  control(path: string, body?: object): Promise<Record<string, unknown>>
}

/** A stub in real time, for tests of what a run does to a target that the user gives. Closed with the test. */
export async function givenStub(folder: string, more: Partial<StubOptions> = {}): Promise<GivenStub> {
  const stub = await startStub({
    ...{ world: 'tiny', seed: 7, mutant: null, pace: 'real', examples: 'none' },
    ...more,
  })
  onTestFinished(() => stub.close())
  return {
    stub,
    writeProfile({ wallets = stub.wallets, more = {} } = {}) {
      const credentials = { ...stub.profile.credentials, wallets: 'wallets.json' }
      writeFileSync(join(folder, 'profile.json'), JSON.stringify({ ...stub.profile, credentials, ...more }))
      writeFileSync(join(folder, 'wallets.json'), JSON.stringify(wallets), { mode: 0o600 })
      return 'profile.json'
    },
    async control(path, body) {
      const response = await fetch(`${stub.profile.control}${path}`, {
        headers: { Authorization: `Bearer ${stub.controlToken}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return (await response.json()) as Record<string, unknown> // as: the control API answers objects
    },
  }
}

/** The environment of the Python bot's tests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stub } from '../../simulator/stub.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

/** Writes the profile with its wallets, and returns its path and the environment of `python -m unittest` in the bot's folder. */
export function botEnvironment(stub: Stub): { env: NodeJS.ProcessEnv; profileFile: string } {
  const folder = temporaryFolder()
  const profileFile = join(folder, 'stub.json')
  const credentials = { ...stub.profile.credentials, wallets: 'wallets.json' }
  writeFileSync(profileFile, JSON.stringify({ ...stub.profile, credentials }))
  writeFileSync(join(folder, credentials.wallets), JSON.stringify(stub.wallets), { mode: 0o600 })
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    NO_PROXY: '127.0.0.1',
    BREAKWATER_PROFILE: profileFile,
    BREAKWATER_API_TOKENS: stub.apiTokens[0],
    BREAKWATER_ADDRESS: stub.wallets[1]?.address, // the token's owner
    BREAKWATER_CONTROL_TOKEN: stub.controlToken,
  }
  return { env, profileFile }
}

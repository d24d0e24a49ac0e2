import type { Profile } from '../contract/profile.ts'
import type { Target } from '../contract/scenario-config.ts'
import { findControlToken } from './control-token.ts'
import type { Io } from './io.ts'
import { reachTarget } from './reach-target.ts'
import { apiTokensOf, caPath, readCertificates, readProfile, readWallets } from './target-files.ts'

/**
 * Reads a target profile with the wallets and API tokens that it names, and makes sure that the target is there. Throws a
 * BreakwaterError: usage for a bad file or a target that does not allow a run, environment for one that does not answer.
 */
export async function loadTarget(
  file: string,
  {
    io,
    needsFeed,
    reach = true,
    check,
  }: {
    io: Io
    needsFeed: boolean
    /** Whether it has to answer this machine; false where others ask it, from elsewhere. */
    reach?: boolean
    /** What is asked of the profile before anything is sent: what it allows, and what the command line confirms. */
    check: (profile: Profile) => void
  },
): Promise<Target> {
  const from = await readProfile(file, io)
  const { profile } = from
  check(profile)
  const wallets = await readWallets(from)
  const ca = await readCertificates(from)
  if (reach) await reachTarget({ profile, file, ca, needsFeed })
  return {
    profile: { ...profile, ca: caPath(from) },
    wallets,
    apiTokens: apiTokensOf(profile, io.env),
    controlToken: await findControlToken(profile, { env: io.env, file }),
  }
}

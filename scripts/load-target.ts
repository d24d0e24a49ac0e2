import { BreakwaterError } from '../contract/breakwater-error.ts'
import { isLoopback } from '../contract/is-loopback.ts'
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
    check = checkAllowed,
  }: {
    io: Io
    needsFeed: boolean
    /** Whether it has to answer this machine; false where others ask it, from elsewhere. */
    reach?: boolean
    /** What is asked of the profile before anything is sent: that a target elsewhere allows everything, unless told. */
    check?: (profile: Profile, file: string) => void
  },
): Promise<Target> {
  const from = await readProfile(file, io.cwd)
  const { profile } = from
  check(profile, file)
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

/** Probes write (sessions, API tokens) and go up to limits: a target elsewhere must say that it wants that. */
function checkAllowed({ baseUrl, wsUrl, allow }: Profile, file: string): void {
  const elsewhere = [baseUrl, wsUrl].find((url) => !isLoopback(url))
  if (elsewhere === undefined || (allow.load && allow.mutations)) return
  throw new BreakwaterError(
    `${file}: ${elsewhere} is not on this machine, and the profile does not allow a run`,
    {
      hint: 'A run signs in, creates and revokes tokens, and goes up to the limits. If the target is yours to test, set allow.load and allow.mutations to true.',
    },
  )
}

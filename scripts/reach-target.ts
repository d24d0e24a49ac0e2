import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'
import { askTarget, feedAddress, reasonOf, restAddress } from './ask-target.ts'

/**
 * Makes sure that the target is there, and its feed where a run needs it: that it answers, whatever the answer is; a refusal is for the
 * probes to judge. Throws a BreakwaterError (environment) that names the address.
 */
export async function reachTarget(options: {
  profile: Profile
  /** The profile, as the user named it. */
  file: string
  /** The certificates to trust besides Node's own, as PEM. */
  ca: string | null
  needsFeed: boolean
}): Promise<void> {
  const { profile, file, needsFeed } = options
  const rest = restAddress(profile)
  await askTarget(rest, options).catch((cause: unknown) => {
    throw new BreakwaterError(`${file}: the target does not answer: GET ${rest}: ${reasonOf(cause)}`, {
      hint: 'Is it running, and is baseUrl right? `breakwater up --profile FILE` starts the stub and writes a profile that fits.',
      exitCode: EXIT.environment,
      cause,
    })
  })
  if (!needsFeed) return
  const feed = feedAddress(profile)
  await askTarget(feed, options).catch((cause: unknown) => {
    throw new BreakwaterError(`${file}: the feed does not answer: ${feed}: ${reasonOf(cause)}`, {
      hint: 'Is it running, and is wsUrl right? It is what stands before /ws. The rules ws.* need the feed; --rules selects others.',
      exitCode: EXIT.environment,
      cause,
    })
  })
}

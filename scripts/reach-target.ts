import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'
import { EVERYBODYS_READ } from '../contract/why-no-exchange.ts'
import { askTarget, feedAddress, restAddress, type TargetAnswer } from './ask-target.ts'
import { explainPage, explainUpgrade } from './explain-target.ts'

/** A proxy may answer 502 now and then: only what repeats ends a run. */
const TRIES = 3
const PAUSE_MS = 500

/**
 * Makes sure that the target is there, and its feed if a run needs it: that it responds in its protocol, that not a page of HTML comes
 * for JSON, and that the feed takes an upgrade or is busy. Everything else is for the probes to judge. Throws a BreakwaterError
 * (environment) that names the address, says what was seen and what to change.
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
  const response = await askTarget(rest, options).catch((cause: unknown) => {
    throw unreachable(`${file}: the target does not answer: GET ${rest}`, cause, {
      hint: 'Is it running, and is baseUrl right? `breakwater stub --profile FILE` starts the stub and writes a profile that fits.',
    })
  })
  const page = explainPage(response)
  // What /health responds is not specified; what the token list responds is.
  if (
    page &&
    explainPage(await askTarget(`${profile.baseUrl.replace(/\/$/, '')}${EVERYBODYS_READ}`, options))
  )
    throw notTheExchange(`${file}: no exchange responds: GET ${rest}`, page)
  if (!needsFeed) return
  const feed = feedAddress(profile)
  const upgrade = await askFeed(feed, options).catch((cause: unknown) => {
    throw unreachable(`${file}: the feed does not answer: ${feed}`, cause, {
      hint: 'Is it running, and is wsUrl right? It is what comes before /ws. `smoke --rules` can leave out the rules ws.*, which need the feed.',
    })
  })
  const refusal = explainUpgrade(upgrade)
  if (refusal) throw notTheExchange(`${file}: the feed opens no socket: ${feed}`, refusal)
}

async function askFeed(
  feed: string,
  options: { profile: Profile; ca: string | null },
): Promise<TargetAnswer> {
  for (let tried = 1; ; tried++) {
    const response = await askTarget(feed, options)
    if (response.status < 500 || tried === TRIES) return response
    await wait(PAUSE_MS)
  }
}

function unreachable(what: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  if (!(cause instanceof BreakwaterError)) throw cause
  return new BreakwaterError(`${what}: ${cause.message}`, {
    hint: cause.hint ?? hint,
    exitCode: EXIT.environment,
    cause,
  })
}

function notTheExchange(what: string, { saw, remedy }: { saw: string; remedy: string }): BreakwaterError {
  return new BreakwaterError(`${what}: ${saw}`, { hint: remedy, exitCode: EXIT.environment })
}

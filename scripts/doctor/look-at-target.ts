import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { CONTROL_TOKEN_ENV, findControlToken } from '../control-api.ts'
import type { Io } from '../io.ts'
import { askTarget, feedAddress, restAddress, type TargetAnswer } from '../target/ask-target.ts'
import { mustServe } from '../target/reach-target.ts'
import {
  apiTokensOf,
  caPath,
  type ProfileFile,
  readCertificates,
  readWallets,
} from '../target/target-files.ts'

/** Finds out what the checks judge: reads what the profile names, and asks the target five times at most, by GET. */
export async function lookAtTarget(from: ProfileFile, env: NodeJS.ProcessEnv): Promise<TargetFacts> {
  const { profile, file } = from
  const ca = await tried(() => readCertificates(from))
  const asked = { profile, ca: 'value' in ca ? ca.value : null }
  const ask = (address: string) => tried(() => askTarget(address, asked))
  const [wallets, control, rest, feed, serves, metrics] = await Promise.all([
    profile.credentials.wallets === null ? null : tried(() => countWallets(from)),
    profile.control === null ? null : tried(() => askControl(profile, { env, file })),
    ask(restAddress(profile)),
    ask(feedAddress(profile)),
    tried(() => mustServe({ profile: { ...profile, ca: caPath(from) } })),
    // Not a part of the target: it gets none of its headers, which may be secrets.
    profile.metrics === null
      ? null
      : tried(() =>
          askTarget(profile.metrics ?? '', {
            profile: { headers: {}, origin: null },
            ca: asked.ca,
            field: 'metrics',
          }),
        ),
  ])
  return {
    profile,
    ca: profile.ca === null ? null : ca,
    wallets,
    apiTokens: apiTokensOf(profile, env).length,
    control,
    rest,
    feed,
    serves,
    metrics,
  }
}

async function countWallets(from: ProfileFile): Promise<{ count: number; withKey: number }> {
  const wallets = await readWallets(from)
  return {
    count: wallets.length,
    withKey: wallets.filter(({ privateKeyJwk }) => privateKeyJwk !== undefined).length,
  }
}

async function askControl(
  profile: ProfileFile['profile'],
  options: { env: Io['env']; file: string },
): Promise<'token taken' | 'no token'> {
  if (!options.env[CONTROL_TOKEN_ENV]?.trim()) return 'no token'
  await findControlToken(profile, options)
  return 'token taken'
}

async function tried<Value>(act: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await act() }
  } catch (error) {
    if (error instanceof BreakwaterError) return { failure: error.message, hint: error.hint }
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Something that was tried: what came of it, or why nothing did, with what may be done. */
export type Tried<Value> = { value: Value } | { failure: string; hint?: string | undefined }

/** What `breakwater doctor --target` knows of a target; look-at-target.ts finds it out, the checks judge it. */
export type TargetFacts = {
  profile: Profile
  /** How many there are, and how many with a key; null: the profile names none. */
  wallets: Tried<{ count: number; withKey: number }> | null
  ca: Tried<unknown> | null
  /** How many the environment holds; never which. */
  apiTokens: number
  /** Null: the profile names no control API. */
  control: Tried<'token taken' | 'no token'> | null
  rest: Tried<TargetAnswer>
  feed: Tried<TargetAnswer>
  /** Whether a read that every exchange has is answered as by one. */
  serves: Tried<unknown>
  metrics: Tried<TargetAnswer> | null
}

import { dirname, resolve } from 'node:path'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { type Profile, profileSchema, walletsSchema } from '../contract/profile.ts'
import type { Target } from '../contract/scenario-config.ts'
import type { Io } from './io.ts'
import { isLoopback } from './is-loopback.ts'
import { readJsonFile } from './read-json-file.ts'

/**
 * Reads a target profile with the wallets and API tokens that it names, and makes sure that the target is there. Throws a
 * BreakwaterError: usage for a bad file or a target that does not allow a run, environment for one that does not answer.
 */
export async function loadTarget(file: string, io: Io): Promise<Target> {
  const path = resolve(io.cwd, file)
  const profile = await readJsonFile({
    file: path,
    shown: file,
    schema: profileSchema,
    what: 'target profile',
  })
  checkAllowed(profile, file)
  const { wallets } = profile.credentials
  const target: Target = {
    profile: { ...profile, ca: profile.ca === null ? null : resolve(dirname(path), profile.ca) },
    wallets:
      wallets === null
        ? []
        : await readJsonFile({
            file: resolve(dirname(path), wallets),
            shown: `${file}: credentials.wallets: ${wallets}`,
            schema: walletsSchema,
            what: 'list of wallets',
          }),
    apiTokens: apiTokensOf(profile, io.env),
    // Other probes run beside the ones that would move the clock: time passes by waiting.
    controlToken: null,
  }
  await checkReachable(profile, file)
  return target
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

function apiTokensOf({ credentials }: Profile, env: NodeJS.ProcessEnv): string[] {
  const text = env[credentials.apiTokens.env] ?? ''
  return text
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')
}

const REACH_TIMEOUT_MS = 5000

async function checkReachable({ baseUrl, headers }: Profile, file: string): Promise<void> {
  const url = `${baseUrl.replace(/\/$/, '')}/health`
  try {
    await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(REACH_TIMEOUT_MS) })
  } catch (cause) {
    const { message, cause: inner } = cause as Error
    throw new BreakwaterError(
      `${file}: the target does not answer: GET ${url}: ${(inner as Error)?.message ?? message}`,
      {
        hint: 'Is it running, and is baseUrl right? `breakwater up --profile FILE` starts the stub and writes a profile that fits.',
        exitCode: EXIT.environment,
        cause,
      },
    )
  }
}

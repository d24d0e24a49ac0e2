import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'
import { isLoopback } from '../contract/is-loopback.ts'
import { type Profile, profileSchema, walletsSchema } from '../contract/profile.ts'
import type { Target } from '../contract/scenario-config.ts'
import { findControlToken } from './control-token.ts'
import type { Io } from './io.ts'
import { reachTarget } from './reach-target.ts'
import { readJsonFile } from './read-json-file.ts'

/**
 * Reads a target profile with the wallets and API tokens that it names, and makes sure that the target is there. Throws a
 * BreakwaterError: usage for a bad file or a target that does not allow a run, environment for one that does not answer.
 */
export async function loadTarget(
  file: string,
  {
    io,
    needsFeed,
    check = checkAllowed,
  }: {
    io: Io
    needsFeed: boolean
    /** What is asked of the profile before anything is sent: that a target elsewhere allows everything, unless told. */
    check?: (profile: Profile, file: string) => void
  },
): Promise<Target> {
  const path = resolve(io.cwd, file)
  const profile = await readJsonFile({
    file: path,
    shown: file,
    schema: profileSchema,
    what: 'target profile',
  })
  check(profile, file)
  const { wallets } = profile.credentials
  if (wallets !== null && isElsewhere(profile))
    await checkPrivate(resolve(dirname(path), wallets), `${file}: credentials.wallets: ${wallets}`)
  const caFile = profile.ca === null ? null : resolve(dirname(path), profile.ca)
  const ca = caFile === null ? null : await readCertificates(caFile, profile.ca ?? '', file)
  const target: Target = {
    profile: { ...profile, ca: caFile },
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
    controlToken: null,
  }
  await reachTarget({ profile, file, ca, needsFeed })
  return { ...target, controlToken: await findControlToken(profile, { env: io.env, file }) }
}

function isElsewhere({ baseUrl, wsUrl }: Profile): boolean {
  return !isLoopback(baseUrl) || !isLoopback(wsUrl)
}

/** Private keys of a target that others use too: for this user's eyes only. A file that is not there is told by its reader. */
async function checkPrivate(wallets: string, named: string): Promise<void> {
  const mode = (await stat(wallets).catch(() => undefined))?.mode ?? 0
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw new BreakwaterError(`${named}: has mode ${shown}, so others may read it`, {
    hint: `It holds private keys: chmod 600 ${wallets}`,
  })
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

/** The certificates that the profile names. A file that is not there would show in k6 alone, as distrust of the target. */
async function readCertificates(file: string, ca: string, shown: string): Promise<string> {
  const fail = (reason: string, cause: unknown) =>
    new BreakwaterError(`${shown}: ca: ${ca}: ${reason}`, {
      hint: 'Expected a file of certificates in PEM form there; the path is relative to the profile.',
      cause,
    })
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw fail(`cannot be read: ${fileFailure(cause)}`, cause)
  })
  try {
    new X509Certificate(text)
  } catch (cause) {
    throw fail('holds no certificate', cause)
  }
  return text
}

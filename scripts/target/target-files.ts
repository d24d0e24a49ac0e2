/** Reads target profiles, and the files and environment variables that they name. */
import { X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isLoopback, shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import { parseJsonFile, readRegularFile } from '../../contract/json-file.ts'
import {
  headersSchema,
  type Profile,
  profileSchema,
  type Wallet,
  walletsSchema,
} from '../../contract/profile.ts'
import { readJsonFile } from '../given-files.ts'
import type { Io } from '../io.ts'

export type ProfileFile = {
  path: string
  file: string
  profile: Profile
}

/** JSON with secret headers of the target. */
const HEADERS_ENV = 'BREAKWATER_HEADERS'

/**
 * Reads a target profile, merges headers from the environment, and trims the address of the control API. Throws a
 * BreakwaterError (usage) with every problem of the file.
 */
export async function readProfile(file: string, { cwd, env }: Pick<Io, 'cwd' | 'env'>): Promise<ProfileFile> {
  if (/^[a-z][a-z0-9+.-]+:[\\/]{2}/i.test(file)) {
    throw new BreakwaterError(`${shownAddress(file)}: expected a target profile file, not a URL`, {
      hint: `Create a profile with the URL: \`breakwater init profile NAME\`. Put credentials into ${HEADERS_ENV}.`,
    })
  }
  const path = resolve(cwd, file)
  const profile = await readJsonFile({
    file: path,
    shown: file,
    schema: profileSchema,
    what: 'target profile',
  })
  const control = profile.control === null ? null : trimSlashes(profile.control)
  const headers = { ...profile.headers, ...readHeaders(env) }
  return { path, file, profile: { ...profile, control, headers } }
}

/** Paths are appended to the address. */
export function trimSlashes(address: string): string {
  return address.replace(/\/+$/, '')
}

function readHeaders(env: Io['env']): Profile['headers'] {
  const text = env[HEADERS_ENV]
  if (!text) return {}
  const hint = `Expected a JSON object of header names and values, for example {"Authorization":"Basic …"}. Unset ${HEADERS_ENV} to send none.`
  return parseJsonFile({ file: HEADERS_ENV, text, schema: headersSchema, what: 'list of headers', hint })
}

/** Throws a BreakwaterError (usage) for a bad file, or one that others may read. */
export async function readWallets({ path, file, profile }: ProfileFile): Promise<Wallet[]> {
  const { wallets } = profile.credentials
  if (wallets === null) return []
  const named = resolve(dirname(path), wallets)
  const shown = `${file}: credentials.wallets: ${wallets}`
  if (isElsewhere(profile)) await checkPrivate(named, shown)
  return readJsonFile({
    file: named,
    shown,
    schema: walletsSchema,
    what: 'list of wallets',
    read: readRegularFile,
  })
}

function isElsewhere({ baseUrl, wsUrl }: Profile): boolean {
  return !isLoopback(baseUrl) || !isLoopback(wsUrl)
}

/** Private keys of a shared target must be readable only by this user. The reader reports a missing file. */
async function checkPrivate(wallets: string, named: string): Promise<void> {
  const mode = (await stat(wallets).catch(() => undefined))?.mode ?? 0
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw new BreakwaterError(`${named}: has mode ${shown}, so others may read it`, {
    hint: `It holds private keys: chmod 600 ${wallets}`,
  })
}

/** Absolute; null: the profile names none. */
export function caPath({ path, profile }: ProfileFile): string | null {
  return profile.ca === null ? null : resolve(dirname(path), profile.ca)
}

/** Checked here, because k6 would report a missing file only as an untrusted target. */
export async function readCertificates(from: ProfileFile): Promise<string | null> {
  const ca = caPath(from)
  if (ca === null) return null
  const fail = (reason: string, cause: unknown) =>
    new BreakwaterError(`${from.file}: ca: ${from.profile.ca}: ${reason}`, {
      hint: 'Expected a PEM file of certificates; the path is relative to the profile.',
      cause,
    })
  let text: string
  try {
    text = readRegularFile(ca)
  } catch (cause) {
    throw fail(`cannot be read: ${fileFailure(cause)}`, cause)
  }
  try {
    new X509Certificate(text)
  } catch (cause) {
    throw fail('contains no certificate', cause)
  }
  return text
}

export function parseApiTokens(
  { credentials }: Pick<Profile, 'credentials'>,
  env: NodeJS.ProcessEnv,
): string[] {
  const text = env[credentials.apiTokens.env] ?? ''
  return text
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')
}

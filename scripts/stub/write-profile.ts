import { randomUUID } from 'node:crypto'
import { lstat, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import type { TlsIdentity } from '../../simulator/http/listener.ts'
import type { Stub } from '../../simulator/stub.ts'
import { makeScratchFolder, scratchFailure } from '../make-folder.ts'

const KEYS_MODE = 0o600
const PUBLIC_MODE = 0o644

/**
 * Writes a stub's profile and, next to it, the files that it names: the demo wallets, and with TLS the certificate to
 * trust. Only this user can read profile and wallets. Overwrites only an earlier profile of its own and that profile's
 * files. Returns the absolute path of the certificate, or null. Throws a BreakwaterError (usage) if another file
 * exists, or one cannot be written.
 */
export async function writeProfile(
  { profile, wallets, ca = null }: Pick<Stub, 'profile' | 'wallets'> & { ca?: string | null },
  { file, cwd }: { file: string; cwd: string },
): Promise<string | null> {
  const path = resolve(cwd, file)
  const inFolder = (name: string) => join(dirname(path), name)
  const stem = basename(path).replace(/\.jsonc?$/, '')
  const named = `${stem}-wallets.json`
  const caName = ca === null ? null : `${stem}-ca.pem`
  const written = { ...profile, ca: caName, credentials: { ...profile.credentials, wallets: named } }
  const { isDevice, earlier } = await findOurs(path, { file, name: profile.name })
  const write = async (what: string, to: string, text: string, mode: number) => {
    await (isDevice && to === path ? writeFile(to, text) : replaceFile(to, text, mode)).catch(
      (cause: unknown) => {
        throw cannotWrite(file, what, cause)
      },
    )
  }
  const walletsText = jsonText(wallets)
  const isNamed = (name: string) => earlier?.credentials?.wallets === name || earlier?.ca === name
  await mustBeReplaceable(inFolder(named), { file, isNamed, text: walletsText })
  if (caName !== null) await mustBeReplaceable(inFolder(caName), { file, isNamed, text: ca })
  await write('the profile', path, jsonText(written), KEYS_MODE)
  await write(`${named} next to it`, inFolder(named), walletsText, KEYS_MODE)
  if (ca !== null && caName !== null) await write(`${caName} next to it`, inFolder(caName), ca, PUBLIC_MODE)
  return caName && inFolder(caName)
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

type Earlier = { name?: unknown; ca?: unknown; credentials?: { wallets?: unknown } } | null

/** Accepts only an earlier profile of the same name, or nothing; other files are not ours. */
async function findOurs(
  path: string,
  { file, name }: { file: string; name: string },
): Promise<{ isDevice: boolean; earlier: Earlier }> {
  const there = await stat(path).catch(() => null)
  // Devices accept writes, such as /dev/stdout, which is a link.
  if (there !== null && !there.isFile()) return { isDevice: true, earlier: null }
  if (await isLink(path)) {
    throw new BreakwaterError(`${file}: expected a file, found a link`, {
      hint: 'Name its target, or another file.',
    })
  }
  if (there === null) return { isDevice: false, earlier: null }
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw cannotWrite(file, 'the profile', cause)
  })
  if (text.trim() === '') return { isDevice: false, earlier: null }
  const earlier = parse(text)
  if (earlier?.name === name) return { isDevice: false, earlier }
  throw new BreakwaterError(`${file}: exists and is not a profile of the stub`, {
    hint: `Name another file, because this one would be overwritten. Expected a new file, or a profile with the name "${name}".`,
  })
}

/** A file that the earlier profile does not name may hold someone's keys, unless its content is what we would write. */
async function mustBeReplaceable(
  path: string,
  { file, isNamed, text }: { file: string; isNamed: (name: string) => boolean; text: string | null },
): Promise<void> {
  const there = await lstat(path).catch(() => null)
  if (there === null) return
  const name = basename(path)
  if (!there.isFile()) {
    const kind = there.isSymbolicLink() ? 'a link' : there.isDirectory() ? 'a folder' : 'a pipe or a device'
    throw cannotWrite(file, `${name} next to it`, new Error(`it is ${kind}, not a file`))
  }
  if (isNamed(name)) return
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return
  throw new BreakwaterError(
    `${file}: ${name} next to it already exists, and no profile of the stub names it`,
    {
      hint: 'Name another profile, or move that file, because it would be overwritten.',
    },
  )
}

/** Replaces the file, so that the new one has its own mode. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx', mode })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function cannotWrite(file: string, what: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: ${what} cannot be written: ${fileFailure(cause)}`, {
    hint: 'Name a file in an existing, writable folder.',
    cause,
  })
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isSymbolicLink() === true
}

function parse(text: string): Earlier {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A stub's TLS identity, and the certificate of an authority created for this stub only, as PEM. */
export type StubCertificate = { identity: TlsIdentity; ca: string }

const DAY_MS = 86_400_000
/** For clients whose clock is behind. */
const BEFORE_MS = DAY_MS
const VALID_MS = 365 * DAY_MS

/** Creates a certificate for the stub's address, this machine's name and loopback. */
export async function createStubCertificate({ host }: { host: string }): Promise<StubCertificate> {
  // Loaded only here: it is slow, and most stubs use plain HTTP.
  const { createAuthority } = await import('../../simulator/http/certificates.ts')
  const nowMs = Date.now()
  const validity = { notBefore: new Date(nowMs - BEFORE_MS), notAfter: new Date(nowMs + VALID_MS) }
  const authority = await createAuthority({ name: 'Breakwater stub', ...validity })
  const others = new Set(['127.0.0.1', '::1', host, hostname()])
  const identity = await authority.issue({ names: ['localhost', ...others], ...validity })
  return { identity, ca: authority.pem }
}

/** Keeps an authority's certificate in a file while a stub without a profile runs. */
export async function withCaFile<Result>(
  ca: string,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = await makeScratchFolder('stub')
  try {
    const file = join(folder, 'ca.pem')
    await writeFile(file, ca).catch((cause: unknown) => {
      throw scratchFailure(cause)
    })
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

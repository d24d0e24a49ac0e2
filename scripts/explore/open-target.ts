/** Opens what `explore` works on: stubs of this process, or the target of a profile. */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { createWaits, type ExploreTarget, type WaitFor } from '../../explore/target.ts'
import type { Io } from '../io.ts'
import { signFor } from '../target/own-tokens.ts'
import { PERMISSION_HINT, permissionFor } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'
import { createWire } from './node-target.ts'
import type { OpenTarget } from './stages.ts'

/** Time for something to happen in the market of a target. */
const STIR_MS = 1000
/** For a slow network and a busy gateway. */
const RESPONSE_MS = 15_000
/** One wallet is the witness of events. */
const WALLETS_MIN = 2

/** Throws a BreakwaterError: usage for a bad profile or a target that does not allow changes, environment if it does not respond. */
export async function openGivenTarget(
  file: string,
  { io, confirm, isSlowAllowed }: { io: Io; confirm: readonly string[] | undefined; isSlowAllowed: boolean },
): Promise<OpenTarget> {
  const loaded = await loadTarget(file, {
    io,
    needsFeed: true,
    check(profile) {
      const { writes } = permissionFor(profile, confirm)
      if (writes !== null)
        throw new BreakwaterError(`explore signs in and makes changes: ${writes}`, { hint: PERMISSION_HINT })
    },
  })
  const { profile } = loaded
  const [witness, ...wallets] = findWallets(loaded)
  if (!witness || wallets.length + 1 < WALLETS_MIN) {
    throw new BreakwaterError(`${file}: explore needs two wallets with access that can sign`, {
      hint: 'Add wallets to the file that credentials.wallets names, with a private key or a signer.',
    })
  }
  const ca = profile.ca === null ? null : await readFile(profile.ca, 'utf8')
  const waits = createWaits(() => performance.now())
  const wait = (reason: WaitFor, ms: number) =>
    waits.during(
      reason,
      delay(ms, undefined, { signal: io.interrupted }).catch(() => {}),
    )
  const wire = createWire(profile, ca, (ms) => waits.during('the rate limit', delay(ms)))
  const target: ExploreTarget = {
    ...wire,
    profile,
    administrator: findSigning(loaded).find(({ admin }) => admin),
    outsiders: findOutsiders(loaded),
    sign: (wallet, message) => signFor(profile, wallet, message),
    nowMs: Date.now,
    pass: (ms) => wait('expiry and retries', ms),
    stir: () => wait('swaps', STIR_MS),
    isSlowAllowed,
    responseMs: RESPONSE_MS,
    waits,
    interrupted: io.interrupted,
  }
  return { target, wallets, witness, sent: wire.sent, close: async () => wire.close() }
}

type Given = Pick<Target, 'profile' | 'wallets'>

/** Not administrators, which a real exchange has few of. */
function findWallets(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess, admin }) => hasAccess && !admin)
}

function findOutsiders(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess }) => !hasAccess)
}

function findSigning({ profile, wallets }: Given): Target['wallets'] {
  return wallets.filter(
    ({ privateKeyJwk }) => privateKeyJwk !== undefined || profile.credentials.signer !== null,
  )
}

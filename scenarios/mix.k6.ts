// A workload mix: clients that arrive, act and leave as the mix specifies.
import exec from 'k6/execution'
import type { Options } from 'k6/options'
import { config, world } from './lib/config.ts'
import { vuRandom } from './lib/duties/k6-tools.ts'
import { walletsForLoad } from './lib/identity/wallet.ts'
import { buildOptions, COMMON_OPTIONS } from './lib/lane.ts'
import { drawRestSeconds, drawSeconds } from './lib/mix/mix-chance.ts'
import { liveOnce } from './lib/mix/mix-client.ts'
import { followMixFeed } from './lib/mix/mix-feed.ts'
import { mixScenarios } from './lib/mix/mix-scenarios.ts'
import { takeShare } from './lib/probe/one-vu.ts'

export function mixOptions(): NonNullable<Options['scenarios']> {
  return config.mix === null ? {} : mixScenarios(config.mix, 'mix')
}

export const options = buildOptions(() => ({ ...COMMON_OPTIONS, scenarios: mixOptions() }))

/** Runs one client of the mix; the k6 scenario's environment selects its kind. */
export async function mix(): Promise<void> {
  const client = config.mix?.clients.find(({ name }) => name === __ENV.BREAKWATER_MIX_CLIENT)
  if (config.mix === null || client === undefined) throw new Error('no mix, or no such client in it')
  takeShare()
  const target = world('main')
  const isThere = __ENV.BREAKWATER_MIX_ARRIVES === 'before'
  await liveOnce({
    target,
    client,
    wallets: walletsForLoad(target, { withProbes: config.rules.length > 0 }),
    number: exec.vu.idInTest,
    lifeSeconds: (isThere ? drawRestSeconds : drawSeconds)(client.sessionDuration, vuRandom),
    untilMs: exec.scenario.startTime + config.mix.durationSeconds * 1000,
    random: vuRandom,
    followFeed: followMixFeed,
  })
}

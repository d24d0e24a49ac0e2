import { z } from 'zod'
import { CONFIG_SCOPES } from '../../chain/transaction.ts'
import type { Timer } from '../../clock.ts'
import { REORG_DEPTH_MAX } from '../../undo-log.ts'
import type { Replica } from '../../world/replica.ts'
import { BOUNDS, WorldError } from '../../world/world-state.ts'
import { type FaultTools, type FaultyWorld, faultKind } from '../fault-kind.ts'
import { clientsWhereSchema, matchesRequest, restWhereSchema } from '../when-and-where.ts'

export const staleRead = faultKind({
  name: 'stale-read',
  summary:
    'Responds without delay, but with older data, like a lagging replica or a cache. A newer `minimum_revision` is pending.',
  options: z.strictObject({
    where: restWhereSchema,
    behindMs: z.int().min(1).max(30_000).describe('Age of the data, by block time'),
  }),
  start({ where, behindMs }, { decides, during, follow }) {
    let replica: Replica | undefined
    during({
      begin() {
        replica = follow(behindMs)
      },
      end() {
        replica?.stop()
        replica = undefined
      },
    })
    return {
      request: (context) =>
        replica && matchesRequest(where, context) && decides(context.ref)
          ? { do: 'read', views: replica.views() }
          : undefined,
    }
  },
})

const ROUTE = { routes: ['GET /route'] }

export const staleRoute = faultKind({
  name: 'stale-route',
  summary:
    'Returns routes with the previous revision for a while after each configuration change, like a cache that is not invalidated.',
  options: z.strictObject({
    where: clientsWhereSchema,
    staleMs: z.int().min(1).max(600_000).describe('How long after a change is indexed'),
  }),
  start({ where: { clients }, staleMs }, { decides, during, after, world }) {
    const now = () => world.views.protocolState().revision
    let last = now()
    /** Returned while it is not null. */
    let stale: { revision: number; until: Timer } | null = null
    let stop = () => {}
    during({
      begin() {
        last = now()
        stop = world.onBlock(() => {
          if (now() === last) return
          stale?.until.cancel()
          const until = after(staleMs, () => (stale = null))
          stale = { revision: stale?.revision ?? last, until }
          last = now()
        })
      },
      end: () => stop(),
    })
    return {
      request: (context) =>
        stale && matchesRequest({ ...ROUTE, clients }, context) && decides(context.ref)
          ? { do: 'quote', revision: stale.revision }
          : undefined,
    }
  },
})

export const slowIndexer = faultKind({
  name: 'slow-indexer',
  summary: 'Makes the indexer lag behind the chain: REST data are old, and events come late.',
  options: z.strictObject({
    lag: z
      .union(
        [
          z.strictObject({ blocks: z.int().min(1).max(BOUNDS.lagBlocks.max) }),
          z.strictObject({ ms: z.int().min(1).max(BOUNDS.lagMs.max) }),
        ],
        { error: 'expected {"blocks": NUMBER} or {"ms": NUMBER}' },
      )
      .describe('Lag of the indexer: a number of blocks, or a time after each block'),
  }),
  start({ lag }, { decides, during, world }) {
    const before = world.lag()
    during({
      begin() {
        if (decides('indexer')) world.setLag(lag)
      },
      end: () => world.setLag(before),
    })
    return {}
  },
})

export const revisionStorm = faultKind({
  name: 'revision-storm',
  summary: 'Changes the configuration repeatedly, each time in the next block.',
  options: z.strictObject({
    everyMs: z.int().min(1).max(3_600_000).describe('Interval between changes; the first comes immediately'),
    change: z
      .strictObject({ scope: z.enum(CONFIG_SCOPES), key: z.string().min(1).max(512) })
      .default({ scope: 'fee_tiers', key: 'storm' })
      .describe('Body of `POST /revision` of the control API; by default one that changes nothing else'),
  }),
  start({ everyMs, change }, tools) {
    repeat(everyMs, () => tools.decides('configuration') && tools.world.changeConfig(change), tools)
    return {}
  },
})

export const reorg = faultKind({
  name: 'reorg',
  summary: 'Reverts the last blocks and mines others instead, from the same transactions.',
  options: z.strictObject({
    depth: z
      .int()
      .min(1)
      .max(REORG_DEPTH_MAX)
      .describe('Blocks to revert; nothing happens while the chain is shorter'),
    everyMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(60_000)
      .describe('Interval between reorganizations; the first comes immediately'),
  }),
  start({ depth, everyMs }, tools) {
    repeat(everyMs, () => tools.decides('chain') && takeBack(tools.world, depth), tools)
    return {}
  },
})

function takeBack(world: FaultyWorld, depth: number): void {
  try {
    world.reorg(depth)
  } catch (error) {
    if (!(error instanceof WorldError && error.code === 'reorg_too_deep')) throw error
  }
}

/** Runs `act` when the fault starts, and again at each interval until it ends. */
function repeat(everyMs: number, act: () => void, { during, after }: FaultTools): void {
  let isOn = false
  const next = () => {
    if (!isOn) return
    act()
    after(everyMs, next)
  }
  during({
    begin() {
      isOn = true
      next()
    },
    end() {
      isOn = false
    },
  })
}

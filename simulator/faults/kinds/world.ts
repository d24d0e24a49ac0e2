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
    'Responds at once, but with what was indexed some time ago, as a replica that is behind or a cache does. A `minimum_revision` that is newer is pending.',
  options: z.strictObject({
    where: restWhereSchema,
    behindMs: z.int().min(1).max(30_000).describe('How old the data are, by the time of their blocks'),
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
      request: (seen) =>
        replica && matchesRequest(where, seen) && decides(seen.ref)
          ? { do: 'read', views: replica.views() }
          : undefined,
    }
  },
})

const ROUTE = { routes: ['GET /route'] }

export const staleRoute = faultKind({
  name: 'stale-route',
  summary:
    'For a while after each change of the configuration, tells routes as of the revision before, as a cache would that nobody has emptied.',
  options: z.strictObject({
    where: clientsWhereSchema,
    staleMs: z.int().min(1).max(600_000).describe('How long after a change is indexed'),
  }),
  start({ where: { clients }, staleMs }, { decides, during, after, world }) {
    const now = () => world.views.protocolState().revision
    let last = now()
    /** What is told while it is not null. */
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
      request: (seen) =>
        stale && matchesRequest({ ...ROUTE, clients }, seen) && decides(seen.ref)
          ? { do: 'quote', revision: stale.revision }
          : undefined,
    }
  },
})

export const slowIndexer = faultKind({
  name: 'slow-indexer',
  summary: 'Has the indexer lag behind the chain: what clients read is old, and events come late.',
  options: z.strictObject({
    lag: z
      .union(
        [
          z.strictObject({ blocks: z.int().min(1).max(BOUNDS.lagBlocks.max) }),
          z.strictObject({ ms: z.int().min(1).max(BOUNDS.lagMs.max) }),
        ],
        { error: 'expected {"blocks": NUMBER} or {"ms": NUMBER}' },
      )
      .describe('How far: so many blocks, or so long after a block'),
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
  summary: 'Changes the configuration again and again, each time in the next block: revisions come fast.',
  options: z.strictObject({
    everyMs: z.int().min(1).max(3_600_000).describe('From one change to the next; the first comes at once'),
    change: z
      .strictObject({ scope: z.enum(CONFIG_SCOPES), key: z.string().min(1).max(512) })
      .default({ scope: 'fee_tiers', key: 'storm' })
      .describe('As `POST /revision` of the control API takes it; by default one that changes nothing else'),
  }),
  start({ everyMs, change }, tools) {
    repeat(everyMs, () => tools.decides('configuration') && tools.world.changeConfig(change), tools)
    return {}
  },
})

export const reorg = faultKind({
  name: 'reorg',
  summary: 'Takes the last blocks back and mines others in their place, from the same transactions.',
  options: z.strictObject({
    depth: z
      .int()
      .min(1)
      .max(REORG_DEPTH_MAX)
      .describe('Blocks; a chain that is not so long yet is left alone'),
    everyMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(60_000)
      .describe('From one to the next; the first comes at once'),
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

/** Does it when the fault’s time begins, and then again and again until that ends. */
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

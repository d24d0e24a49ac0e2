import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { type Axis, getAxisUnit } from '../../contract/capacity.ts'
import type { Mix } from '../../contract/mix.ts'
import { type OfferedSockets, SOCKETS_PER_VU } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { figure, objectiveText } from '../../reports/objective-text.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import type { SearchPlan } from './next-rate.ts'

export const SOCKETS_OPENED_PER_SECOND = 100
/** VUs sign in and learn the pools before the first socket. */
export const SOCKETS_WARM_UP_SECONDS = 1
/** After the last socket was opened: for its ticket, its rooms and `synchronized`. */
const SETTLE_SECONDS = 2

/** From the time at which all sockets are due to the cut. */
const CUT_AFTER_SECONDS = 1

/** Judged seconds of a storm: until the cut, to recover, and a second for the last count. */
export function computeStormSeconds(recoverWithinSeconds: number): number {
  return CUT_AFTER_SECONDS + recoverWithinSeconds + 1
}

type SocketsAxis = Exclude<Axis, 'rate'>

/** The first number of sockets, if the objectives need no more. */
const SOCKETS_START: Readonly<Record<SocketsAxis, number>> = {
  sockets: 50,
  subscriptions: 10,
  'slow-readers': 10,
  events: 10,
}

/** Enough for a median of the time to synchronize. */
const NORMAL_SOCKETS_MIN = 20

/** Sockets that are open next to slow readers, as many as the objectives need; 0 on other axes, whose load is judged itself. */
export function countNormalSockets(axis: SocketsAxis, slo: Slo): number {
  return axis === 'slow-readers' ? Math.max(NORMAL_SOCKETS_MIN, findSamplesNeeded(slo).sockets) : 0
}

/** How much of the load one socket is: as many rooms as the mix joins, if rooms are the load. */
export function computeLoadPerSocket(axis: SocketsAxis, { clients }: Mix): number {
  if (axis !== 'subscriptions') return 1
  const rooms = clients.find(({ feed }) => feed !== null)?.feed?.rooms
  return rooms === undefined ? 0 : Object.values(rooms).reduce((sum, each) => sum + each, 0)
}

/** Seconds from the first socket until all should be served. */
export function computeOpeningSeconds(count: number, openedPerSecond: number): number {
  return Math.ceil(count / openedPerSecond) + SETTLE_SECONDS
}

/** `load`: sockets, or rooms if `roomsPerSocket` is given, or slow readers if `normalSockets` is. */
export function offerSockets(
  load: number,
  options: {
    openedPerSecond: number
    instances: number
    recoverWithinSeconds?: number | undefined
    roomsPerSocket?: number | undefined
    normalSockets?: number | undefined
  },
): OfferedSockets {
  const { openedPerSecond, instances, recoverWithinSeconds, roomsPerSocket, normalSockets } = options
  const count = Math.ceil(load / (roomsPerSocket ?? 1)) + (normalSockets ?? 0)
  const dueAfterSeconds = SOCKETS_WARM_UP_SECONDS + computeOpeningSeconds(count, openedPerSecond)
  return {
    count,
    openedPerSecond,
    vus: Math.max(instances, Math.ceil(count / SOCKETS_PER_VU)),
    dueAfterSeconds,
    ...(roomsPerSocket !== undefined && { rooms: { total: load, perSocket: roomsPerSocket } }),
    ...(normalSockets !== undefined && { slowReaders: load }),
    ...(recoverWithinSeconds !== undefined && {
      storm: { cutAfterSeconds: dueAfterSeconds + CUT_AFTER_SECONDS, recoverWithinSeconds },
    }),
  }
}

/**
 * The bounds of a search over sockets. Throws a BreakwaterError (usage) for a mix without sockets or rooms, for bounds that are not
 * whole numbers, for fewer sockets than the objectives need as samples, and for more than this machine can open.
 */
export function planSockets(options: {
  axis: SocketsAxis
  mix: Mix
  slo: Slo
  from: number | undefined
  to: number | undefined
  /** The number of sockets that the load generator can open, and what limits it. */
  room: { sockets: number; limit: string }
}): Pick<SearchPlan, 'rateStart' | 'rateMin' | 'rateMax'> {
  const { axis, mix, slo, from, to, room } = options
  const unit = getAxisUnit(axis)
  if (mix.clients.every(({ feed }) => feed === null)) {
    throw new BreakwaterError(
      `mix ${mix.name}: no client follows the feed, so there are no sockets to open`,
      {
        hint: `Use --mix ${axis}, or a mix with a client that has \`feed\`.`,
      },
    )
  }
  const perSocket = computeLoadPerSocket(axis, mix)
  if (perSocket === 0) {
    throw new BreakwaterError(`mix ${mix.name}: its client joins no rooms, so there are no subscriptions`, {
      hint: `Use --mix ${axis}, or set \`feed.rooms\`.`,
    })
  }
  for (const [option, value] of [['--from', from] as const, ['--to', to] as const]) {
    if (value === undefined) continue
    if (!Number.isInteger(value)) {
      throw new BreakwaterError(`${option} ${value}: expected a whole number of ${unit}`, {
        hint: `Round it, such as ${option} ${Math.ceil(value)}.`,
      })
    }
  }
  const normal = countNormalSockets(axis, slo)
  const needed = normal === 0 ? findSamplesNeeded(slo) : NO_SAMPLES
  const least = perSocket * (needed.sockets - 1) + 1
  const start = perSocket * Math.max(needed.sockets, SOCKETS_START[axis])
  const rateStart = from ?? Math.max(least, Math.min(start, to ?? start))
  const highest = Math.max(rateStart, to ?? rateStart)
  const most = perSocket * (room.sockets - normal)
  const next = normal === 0 ? '' : ` and ${normal} normal sockets`
  if (highest > most) {
    throw new BreakwaterError(`--axis ${axis}: ${count(highest)} ${unit}${next} do not fit ${room.limit}`, {
      hint: `At most ${count(Math.max(0, most))} ${unit} fit. Lower --from or --to, or raise the limit.`,
    })
  }
  const tooFew = Math.min(rateStart, to ?? rateStart)
  if (tooFew < least) {
    const sockets = Math.ceil(tooFew / perSocket)
    const on = perSocket === 1 ? '' : ` on ${count(sockets)} socket${sockets === 1 ? '' : 's'}`
    throw new BreakwaterError(
      `--axis ${axis}: ${count(tooFew)} ${unit}${on} are too few for ${needed.objective}: it needs ${needed.sockets} samples`,
      {
        hint: `Set --from and --to to at least ${least}, or use objectives with a lower percentile (--slo).`,
      },
    )
  }
  return { rateStart, rateMin: rateStart, rateMax: to ?? most }
}

const NO_SAMPLES = { sockets: 1, objective: '' }

/** Each socket is opened once, so a percentile needs as many sockets as samples. */
function findSamplesNeeded({ objectives }: Slo): { sockets: number; objective: string } {
  const [most] = objectives
    .flatMap((objective) =>
      'synchronizeMsMax' in objective ||
      'recoverMsMax' in objective ||
      ('latencyMsMax' in objective && ['*', 'auth'].includes(objective.routeGroup))
        ? [{ sockets: samplesNeeded(objective.quantile), objective: objectiveText(objective) }]
        : [],
    )
    .toSorted((a, b) => b.sockets - a.sockets)
  return most ?? NO_SAMPLES
}

const count = (number: number) => (number >= 10_000 ? number.toLocaleString('en') : figure(number))

import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { pick } from '../pick.ts'
import { watch } from '../requests/watch-secrets.ts'
import { hasControl } from '../time/has-control.ts'
import { pause } from '../time/pause.ts'
import { isMiningPaused } from '../time/paused-mining.ts'
import { addMoved, EXCHANGE, isOrdered, recordEntry } from '../timeline.ts'
import { CannotProbe, reportWaiting } from '../verdict/judge.ts'
import { callControl, quiet } from './news.ts'

/**
 * Lets `ms` of the target's time pass: moves its clock with the control API, else waits. Returns the elapsed
 * time, which may be longer on a busy machine.
 */
export async function elapse(target: Target, ms: number): Promise<number> {
  if (hasControl(target)) {
    const whole = Math.round(ms)
    recordEntry({ actor: EXCHANGE }, 'time', `the clock moves forward by ${whole / 1000} s`)
    addMoved(whole)
    await advance(target, whole)
    await quiet(target)
    return whole
  }
  const before = Date.now()
  recordEntry(target, 'time', `${Math.round(ms) / 1000} s pass`)
  reportWaiting(target, ms)
  await pause(ms)
  return Date.now() - before
}

/** Longest real-time wait of a probe without --include-slow. */
const WAIT_MS_MAX = 100_000

/**
 * Like elapse, for up to 15 minutes. Pauses mining while it moves the clock, to avoid thousands of blocks.
 * Throws CannotProbe if it would have to wait in real time without --include-slow.
 */
export async function elapseLong(target: Target, ms: number): Promise<number> {
  mustBeAbleToWait(target, ms)
  if (!hasControl(target)) return await elapse(target, ms)
  const mining = pick(await callControl(target, { method: 'GET', path: '/status' }), 'mining')
  await control(target, '/mining', { mode: 'paused' })
  try {
    return await elapse(target, ms)
  } finally {
    await control(target, '/mining', mining)
  }
}

export function canWait(target: Target, ms: number): boolean {
  return hasControl(target) || config.slow || ms <= WAIT_MS_MAX
}

/** Throws CannotProbe if the run cannot wait that long. Call before starting anything. */
export function mustBeAbleToWait(target: Target, ms: number): void {
  if (canWait(target, ms)) return
  throw new CannotProbe(`takes ${Math.ceil(ms / 60_000)} minutes of real time: use --include-slow`, 'slow')
}

/** Throws CannotProbe without a control API. */
export function mustHaveControl(target: Target, what: string): void {
  if (!hasControl(target))
    throw new CannotProbe(`${what} needs a control API, and the profile has none`, 'control')
}

/**
 * Lets the chain advance until `done` returns true: mines with the control API, else waits. Returns whether
 * `done` was reached within the bounds. Concurrent probes see each other's blocks.
 */
export async function advanceChain(
  target: Target,
  options: {
    done: () => boolean
    blocksMax: number
    waitMsMax: number
    /** Increase if many blocks are needed. */
    blocksAtOnce?: number
    /** Called before each check, for example to renew tickets. */
    eachTurn?: () => Promise<void>
  },
): Promise<boolean> {
  const { done, blocksMax, blocksAtOnce = 1, eachTurn = async () => {} } = options
  const until = Date.now() + options.waitMsMax
  let blocks = 0
  for (let turnsLeft = STRAGGLER_TURNS; turnsLeft > 0 && Date.now() < until; ) {
    if (done()) return true
    await eachTurn()
    if (!hasControl(target)) await pause(200)
    else if (blocks < blocksMax) blocks += await mine(target, blocksAtOnce)
    else turnsLeft--
    // Lets sockets receive events of the mined block.
    await pause(20)
  }
  return done()
}

const STRAGGLER_TURNS = 25
const mining = new Map<string, Promise<number>>()

/** Mines once for all waiters of this VU in the world; returns the number of blocks. */
async function mine(target: Target, blocks: number): Promise<number> {
  while (isMiningPaused()) await pause(5)
  const world = target.profile.baseUrl
  const underWay = mining.get(world)
  if (underWay) return await underWay
  const mined = control(target, '/mine', { blocks })
    .then(() => blocks)
    .finally(() => mining.delete(world))
  mining.set(world, mined)
  return await mined
}

/** Returns the target's time with the control API, else local time. For durations. */
export async function nowMs(target: Target): Promise<number> {
  return hasControl(target) ? await advance(target, 0) : Date.now()
}

async function advance(target: Target, ms: number): Promise<number> {
  const body = JSON.stringify({ ms })
  return Number(pick(await callControl(target, { method: 'POST', path: '/clock/advance', body }), 'nowMs'))
}

/** Changes the world with the stub's control API. Its errors never fail a rule. */
export async function control(
  target: Target,
  path: string,
  body: unknown = {},
  /** Timeline text. */
  explanation = path + (JSON.stringify(body) === '{}' ? '' : ` ${JSON.stringify(body)}`),
): Promise<unknown> {
  recordEntry({ actor: EXCHANGE }, 'world', explanation)
  // Mining moves the clock too.
  const before = isOrdered ? await nowMs(target) : 0
  const response = await callControl(target, { method: 'POST', path, body: JSON.stringify(body) })
  if (path === '/revert') watch.forget(target)
  if (isOrdered) {
    addMoved((await nowMs(target)) - before)
    await quiet(target)
  }
  return response
}

import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { pick } from '../pick.ts'
import { watch } from '../requests/watch-secrets.ts'
import { hasControl } from '../time/has-control.ts'
import { isClockHeld } from '../time/held-clock.ts'
import { pause } from '../time/pause.ts'
import { addMoved, EXCHANGE, isOrdered, tell } from '../timeline.ts'
import { CannotProbe } from '../verdict/cannot.ts'
import { tellWaiting } from '../verdict/waiting.ts'
import { callControl, quiet } from './news.ts'

/**
 * Lets `ms` of the target's time pass: moves its clock where there is a control API, waits where there is none. Returns
 * the time that really passed, which a busy machine may make longer.
 */
export async function elapse(target: Target, ms: number): Promise<number> {
  if (hasControl(target)) {
    const whole = Math.round(ms)
    tell({ actor: EXCHANGE }, 'time', `the clock is moved on by ${whole / 1000} s`)
    addMoved(whole)
    await advance(target, whole)
    await quiet(target)
    return whole
  }
  const before = Date.now()
  tell(target, 'time', `${Math.round(ms) / 1000} s pass`)
  tellWaiting(target, ms)
  await pause(ms)
  return Date.now() - before
}

/** The longest that a probe waits in real time unless the user asked for slow ones. */
const WAIT_MS_MAX = 100_000

/**
 * As elapse, for what may take a quarter of an hour; where the clock is moved, no block is mined meanwhile, as there would
 * be thousands. Throws CannotProbe where that would have to be waited for and nobody asked for it.
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

/** Whether so long a time can pass in this run. */
export function canWait(target: Target, ms: number): boolean {
  return hasControl(target) || config.slow || ms <= WAIT_MS_MAX
}

/** Throws CannotProbe where so long a time cannot pass in this run: to be asked before anything is begun. */
export function mustBeAbleToWait(target: Target, ms: number): void {
  if (canWait(target, ms)) return
  throw new CannotProbe(
    `takes ${Math.ceil(ms / 60_000)} minutes of waiting: --include-slow asks for that`,
    'slow',
  )
}

/** Throws CannotProbe where only a control API can bring about what is to be seen. */
export function mustHaveControl(target: Target, what: string): void {
  if (!hasControl(target))
    throw new CannotProbe(`${what} takes a control API, and the profile names none`, 'control')
}

/**
 * Lets the chain go on until `done` says so: mines where there is a control API, waits where there is none. Returns
 * whether it came to that within the bounds. Probes that run side by side see each other's blocks.
 */
export async function chainGoesOn(
  target: Target,
  options: {
    done: () => boolean
    blocksMax: number
    waitMsMax: number
    /** Where many are needed. */
    blocksAtOnce?: number
    /** Called before each look, as to renew tickets. */
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
    // What was mined is on its way: give the sockets their turn.
    await pause(20)
  }
  return done()
}

const STRAGGLER_TURNS = 25
const mining = new Map<string, Promise<number>>()

/** Mines for all of this VU that wait in the world; returns how many blocks that were. */
async function mine(target: Target, blocks: number): Promise<number> {
  while (isClockHeld()) await pause(5)
  const world = target.profile.baseUrl
  const underWay = mining.get(world)
  if (underWay) return await underWay
  const mined = control(target, '/mine', { blocks })
    .then(() => blocks)
    .finally(() => mining.delete(world))
  mining.set(world, mined)
  return await mined
}

/** The target's time where it can be asked, else that of this machine: for how long something took. */
export async function nowMs(target: Target): Promise<number> {
  return hasControl(target) ? await advance(target, 0) : Date.now()
}

async function advance(target: Target, ms: number): Promise<number> {
  const body = JSON.stringify({ ms })
  return Number(pick(await callControl(target, { method: 'POST', path: '/clock/advance', body }), 'nowMs'))
}

/** Changes the world by the stub's control API; its trouble is never a verdict on the target. */
export async function control(
  target: Target,
  path: string,
  body: unknown = {},
  /** For the timeline. */
  told = path + (JSON.stringify(body) === '{}' ? '' : ` ${JSON.stringify(body)}`),
): Promise<unknown> {
  tell({ actor: EXCHANGE }, 'world', told)
  // What mines a block moves the clock as well.
  const before = isOrdered ? await nowMs(target) : 0
  const answer = await callControl(target, { method: 'POST', path, body: JSON.stringify(body) })
  if (path === '/revert') watch.forget(target)
  if (isOrdered) {
    addMoved((await nowMs(target)) - before)
    await quiet(target)
  }
  return answer
}

import http from 'k6/http'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import { pause } from './pause.ts'

/** Whether the world's clock can be moved, rather than waited for. */
export function hasControl(target: Target): boolean {
  return target.profile.control !== null && target.controlToken !== null
}

/**
 * Lets `ms` of the target's time pass: moves its clock where there is a control API, waits where there is none. Returns
 * the time that really passed, which a busy machine may make longer.
 */
export async function elapse(target: Target, ms: number): Promise<number> {
  if (hasControl(target)) {
    const whole = Math.round(ms)
    await control(target, '/clock/advance', { ms: whole })
    return whole
  }
  const before = Date.now()
  await pause(ms)
  return Date.now() - before
}

/**
 * Lets the chain go on until `done` says so: mines where there is a control API, waits where there is none. Returns
 * whether it came to that within the bounds.
 */
export async function chainGoesOn(
  target: Target,
  options: { done: () => boolean; blocksMax: number; waitMsMax: number },
): Promise<boolean> {
  const until = Date.now() + options.waitMsMax
  for (let block = 0; Date.now() < until; block++) {
    if (options.done()) return true
    if (!hasControl(target)) await pause(200)
    else if (block < options.blocksMax) await control(target, '/mine', { blocks: 1 })
    // What was mined is on its way: give the sockets their turn.
    await pause(20)
    if (hasControl(target) && block >= options.blocksMax + 25) break
  }
  return options.done()
}

/** Calls the stub's control API; its trouble is never a verdict on the target. */
export async function control(target: Target, path: string, body: unknown = {}): Promise<unknown> {
  const response = await http.asyncRequest('POST', `${target.profile.control}${path}`, JSON.stringify(body), {
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${target.controlToken}` },
    jar: new http.CookieJar(),
    tags: { name: `POST ${path}`, route_group: 'control-api' },
  })
  if (response.status !== 200) {
    throw new CannotJudge(`the control API refused POST ${path}: ${response.status} ${response.body}`)
  }
  return response.json()
}

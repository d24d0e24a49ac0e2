import http from 'k6/http'
import type { Target } from '../../../contract/scenario-config.ts'
import { CannotJudge } from '../verdict/cannot.ts'

/** Calls the stub's control API; its trouble is never a verdict on the target. */
export async function callControl(
  target: Target,
  { method, path, body = null }: { method: 'GET' | 'POST'; path: string; body?: string | null },
): Promise<unknown> {
  const name = `${method} ${path.replace(/\?.*/, '')}`
  const response = await http.asyncRequest(method, `${target.profile.control}${path}`, body, {
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${target.controlToken}` },
    jar: new http.CookieJar(),
    tags: { name, route_group: 'control-api' },
  })
  if (response.status !== 200) {
    throw new CannotJudge(`the control API refused ${name}: ${response.status} ${response.body}`)
  }
  // Not by response.json(), which loses the order of keys: a timeline tells them.
  return JSON.parse(String(response.body))
}

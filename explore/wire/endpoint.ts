/** The names of endpoints, as the specification writes them: `GET /pools/{key}`. */
import type { ExploreRequest, Reply } from '../target.ts'

/** A response that breaks a rule by itself. Without secrets. */
export type Problem = { rule: string; problem: string }

export type Exchanged = { request: ExploreRequest; endpoint: string; reply: Reply }

const ROUTES: readonly [RegExp, string][] = [
  [/^\/pools\/(?!stats$)[^/]+$/, '/pools/{key}'],
  [/^\/api-tokens\/[^/]+$/, '/api-tokens/{id}'],
  [/^\/auth\/sessions\/[^/]+\/revoke$/, '/auth/sessions/{session_id}/revoke'],
]

export function nameEndpoint({ method, path }: Pick<ExploreRequest, 'method' | 'path'>): string {
  const [plain = ''] = path.split('?')
  const route = ROUTES.find(([pattern]) => pattern.test(plain))
  return `${method} ${route?.[1] ?? plain}`
}

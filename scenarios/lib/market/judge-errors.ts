import type { Target } from '../../../contract/scenario-config.ts'
import type { Credential, Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { type Judge, unlessCannot } from '../verdict/judge.ts'

type List = { path: string; credential?: Credential }

/**
 * Fails the rule if one of the queries gets an error that persists, while the list without it is served. The specification does
 * not say what such a query returns, so anything else is right.
 */
export async function judgeErrors(
  target: Target,
  judge: Judge,
  { rule, queries, ...list }: List & { rule: string; queries: readonly Record<string, string>[] },
): Promise<void> {
  for (const query of queries) {
    await unlessCannot(async () => {
      const reply = await requestParsed(target, { ...list, query })
      if (!isOwnError(reply)) return
      const { status } = await requestParsed(target, list)
      const seen = `a persistent ${reply.status}, and ${status} without the query`
      if (status === 200) judge.fail(rule, seen, [reply.evidence()])
    })
  }
}

/** A firewall in front of the exchange may drop a query, or respond with a page. */
export function isOwnError({ status, json }: Pick<Reply, 'status' | 'json'>): boolean {
  return status === 500 && typeof json === 'object' && json !== null
}

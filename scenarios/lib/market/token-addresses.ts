import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import type { SearchSubject } from './search-subjects.ts'

/** Addresses of registered tokens, as far as the profile tells where the registry has them. */
export async function tokenAddresses(target: Target): Promise<SearchSubject[]> {
  const { list, id, address } = target.profile.choices.tokens
  const registry = await requestParsed(target, { path: '/tokens' })
  return (pickRows(registry.json, list) ?? []).flatMap((row) => {
    const [token, text] = [pickText(row, id), pickText(row, address)]
    return token === undefined || text === undefined || text === '' ? [] : [{ text, token }]
  })
}

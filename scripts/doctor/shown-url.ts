/** An address as it may be shown: without a name and password, and without a query, which may hold a key. */
export function shownUrl(address: string): string {
  if (!URL.canParse(address)) return address.split('?')[0] ?? ''
  const url = new URL(address)
  url.username = ''
  url.password = ''
  url.search = ''
  return url.href
}

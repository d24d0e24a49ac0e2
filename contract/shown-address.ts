/** An address as it may be shown: without a name and password, and without a query, which may hold a key. Free of URL, for k6. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/?#]*@/i, '$1').replace(/[?#][\s\S]*$/, '')
}

/** What a collected file may be called: a plain name, of no other folder, and not hidden. */
const FILE_NAME = /^(?!\.)[A-Za-z0-9._-]{1,200}$/

/** Whether a collector takes a file of that name. */
export function isFileName(name: string): boolean {
  return FILE_NAME.test(name)
}

/** Whether a user's word for a thing that comes by name (a mix, a world, a plan) is a file of their own. */
export function namesAFile(name: string): boolean {
  return /\.jsonc?$/.test(name)
}

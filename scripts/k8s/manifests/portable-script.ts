import { posix, relative, resolve, sep } from 'node:path'

/** What esbuild writes behind a script: its map, as base64. */
const MAP = /(?<=\n\/\/# sourceMappingURL=data:application\/json;base64,)[A-Za-z0-9+/=]+/

/** A bundle whose errors name the sources from `root` on, and not as the folder of this machine that it was made in would. */
export function portableScript(text: string, { folder, root }: { folder: string; root: string }): string {
  return text.replace(MAP, (base64) => {
    const map = JSON.parse(Buffer.from(base64, 'base64').toString()) as { sources: string[] } // as: what esbuild has written
    const sources = map.sources.map((path) =>
      relative(root, resolve(folder, path)).split(sep).join(posix.sep),
    )
    return Buffer.from(JSON.stringify({ ...map, sources })).toString('base64')
  })
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { projectPath } from '../../scripts/project.ts'

/**
 * In one module, as `npm run build` compiles. Loaded from its sources, a script would give each function a property with its name,
 * which takes 256 bytes for each closure.
 */
export async function compileScript(script: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: projectPath('.'),
    entryPoints: [script],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    tsconfigRaw: '{}',
    plugins: [ownUrls],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** Keeps `import.meta` pointing at the sources. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => ({
      loader: 'ts',
      contents: readFileSync(file, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file))),
    }))
  },
}

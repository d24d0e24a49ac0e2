/**
 * Writes the types of the package's public `exports` to dist/types/, after build.mjs. Writes none if the compiler is
 * missing, as in an installation without development packages.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const TYPES = join(ROOT, 'dist/types')
const RELATIVE = /(?<=(?:from |import\()["'])(\.[^"']*)\.ts(?=["'])/g

if (existsSync(COMPILER)) {
  const all = mkdtempSync(join(tmpdir(), 'breakwater-types-'))
  try {
    execFileSync(process.execPath, [COMPILER, '-p', join(ROOT, 'library'), '--outDir', all], {
      stdio: 'inherit',
    })
    keepReachable(all)
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}

/** The compiler writes the types of every module; the entries reach only a tenth of them. */
function keepReachable(all) {
  rmSync(TYPES, { recursive: true, force: true })
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const seen = new Set()
  const keep = (path) => {
    if (seen.has(path)) return
    seen.add(path)
    const text = readFileSync(join(all, path), 'utf8')
    mkdirSync(dirname(join(TYPES, path)), { recursive: true })
    // Users' compilers reject imports that end in .ts.
    writeFileSync(join(TYPES, path), text.replace(RELATIVE, '$1.js'))
    for (const [, to] of text.matchAll(RELATIVE)) keep(join(dirname(path), `${to}.d.ts`))
  }
  for (const { types } of Object.values(exports)) if (types) keep(relative('dist/types', types))
}

/**
 * Writes the types of what users import (`exports` of package.json) to dist/types/, after build.mjs. Without the compiler, as in an
 * installation without development packages, it writes none.
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

/** The compiler writes the types of every module; users see those that the entries name, a tenth. */
function keepReachable(all) {
  rmSync(TYPES, { recursive: true, force: true })
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const seen = new Set()
  const keep = (path) => {
    if (seen.has(path)) return
    seen.add(path)
    const text = readFileSync(join(all, path), 'utf8')
    mkdirSync(dirname(join(TYPES, path)), { recursive: true })
    // Compilers of users do not take the endings of sources.
    writeFileSync(join(TYPES, path), text.replace(RELATIVE, '$1.js'))
    for (const [, to] of text.matchAll(RELATIVE)) keep(join(dirname(path), `${to}.d.ts`))
  }
  for (const { types } of Object.values(exports)) if (types) keep(relative('dist/types', types))
}

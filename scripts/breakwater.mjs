#!/usr/bin/env node
// The package's bin: runs what scripts/build.mjs compiled. In a checkout it compiles anew what has changed since.
// Loading takes a moment: until main.ts listens itself, Ctrl-C has the same words and exit code as it has later.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.stderr.write('breakwater: interrupted before anything was run\n')
    process.exit(130)
  })
}

try {
  const { default: buildIfStale } = await import('./build.mjs')
  await buildIfStale()
  await import('../dist/breakwater.js')
} catch (error) {
  // Node's own words for it, and its trace, are of no use to who forgot a step.
  const missing =
    error.code === 'ERR_MODULE_NOT_FOUND' && /Cannot find (package|module) '([^']+)'/.exec(error.message)
  if (!missing) throw error
  const [, kind, name] = missing
  process.stderr.write(
    kind === 'package'
      ? `breakwater: a package is not installed: ${name}\n  Install what the lock file names: npm ci\n`
      : `breakwater: it is not compiled: ${name} is missing\n  Compile it: npm run build\n`,
  )
  process.exit(3)
}

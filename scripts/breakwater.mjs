#!/usr/bin/env node
// The package's bin: runs the compiled program. In a checkout it first recompiles changed sources. Loading takes a
// moment; until main.ts listens for signals, Ctrl-C gives the same message and exit code as later.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.stderr.write('breakwater: interrupted before any run started\n')
    process.exit(130)
  })
}

try {
  const { default: buildIfStale } = await import('./build.mjs')
  await buildIfStale()
  await import('../dist/breakwater.js')
} catch (error) {
  // Node's own message and stack trace do not help a user who skipped an installation step.
  const missing =
    error.code === 'ERR_MODULE_NOT_FOUND' && /Cannot find (package|module) '([^']+)'/.exec(error.message)
  if (!missing) throw error
  const [, kind, name] = missing
  process.stderr.write(
    kind === 'package'
      ? `breakwater: missing package: ${name}\n  Install the locked dependencies: npm ci\n`
      : `breakwater: not compiled: ${name} is missing\n  Compile it: npm run build\n`,
  )
  process.exit(3)
}

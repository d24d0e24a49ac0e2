#!/usr/bin/env node
// The package's bin: loads TypeScript through tsx, so that no build step stands between a checkout and a run.
// Loading takes a moment: until main.ts listens itself, Ctrl-C has the same words and exit code as it has later.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.stderr.write('breakwater: interrupted before anything was run\n')
    process.exit(130)
  })
}

try {
  await import('./typescript.mjs')
  await import('./main.ts')
} catch (error) {
  // Node's own words for it, and its trace, are of no use to who forgot a step, or has pulled since.
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && /Cannot find package '([^']+)'/.exec(error.message)
  if (!missing) throw error
  process.stderr.write(
    `breakwater: a package is not installed: ${missing[1]}\n  Install what the lock file names: npm ci\n`,
  )
  process.exit(3)
}

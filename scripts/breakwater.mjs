#!/usr/bin/env node
// The package's bin: loads TypeScript through tsx, so that no build step stands between a checkout and a run.
// Loading takes a moment: until main.ts listens itself, Ctrl-C has the same words and exit code as it has later.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.stderr.write('breakwater: interrupted before anything was run\n')
    process.exit(130)
  })
}

await import('./typescript.mjs')
await import('./main.ts')

#!/usr/bin/env node
// The package's bin: loads TypeScript through tsx, so that no build step stands between a checkout and a run.
import { register } from 'tsx/esm/api'

register()
await import('./main.ts')

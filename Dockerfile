# syntax=docker/dockerfile:1
# Breakwater with its k6: `docker build -t breakwater .`, then `docker run --rm breakwater smoke`. Without arguments it is the stub.
# The base images may be others, such as a mirror's: --build-arg NODE_IMAGE=…
ARG GO_IMAGE=golang:1.26.4-alpine@sha256:3ad57304ad93bbec8548a0437ad9e06a455660655d9af011d58b993f6f615648
ARG NODE_IMAGE=node:22.22.1-alpine3.22@sha256:9f96f09f127f06feaff1e7faa4a34a3020cf5c1138c988782e59959641facabe

# k6 with the series output: one static file. k6 is under the AGPL, whose text goes along.
FROM ${GO_IMAGE} AS k6
ENV CGO_ENABLED=0 GOTOOLCHAIN=local
WORKDIR /build/k6
COPY k6/ ./
RUN go build -trimpath -gcflags=all=-dwarf=false -buildvcs=false -ldflags '-s -w' -o ../k6-built . \
  && cp "$(go list -m -f '{{.Dir}}' go.k6.io/k6/v2)/LICENSE.md" ../k6-LICENSE.md

# The packages that Breakwater runs with: built anew only where the lock has changed.
FROM ${NODE_IMAGE} AS modules
WORKDIR /build/modules
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# What `npm pack` takes is what an installation has: no tests, nothing of the repository's own.
FROM ${NODE_IMAGE} AS package
WORKDIR /build/package
COPY . .
COPY --from=modules /build/modules/node_modules node_modules
RUN node scripts/build.mjs \
  && npm pack --ignore-scripts --loglevel=error \
  && tar -xzf breakwater-*.tgz

FROM ${NODE_IMAGE}
COPY --from=k6 /build/k6-built /usr/local/bin/k6
COPY --from=k6 /build/k6-LICENSE.md /usr/local/share/licenses/k6/LICENSE.md
COPY --from=modules /build/modules/node_modules /opt/breakwater/node_modules
COPY --from=package /build/package/package /opt/breakwater
RUN ln -s /opt/breakwater/scripts/breakwater.mjs /usr/local/bin/breakwater \
  && mkdir /data \
  && chown 1000:1000 /data
ENV NODE_ENV=production BREAKWATER_K6=/usr/local/bin/k6
# By number, so that a cluster sees that it is not root. Runs go to runs/ in the working directory: mount one to keep them.
USER 1000:1000
WORKDIR /data
EXPOSE 8080 8081
# Of the stub; whoever runs another command may say --no-healthcheck.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/ready"]
ENTRYPOINT ["breakwater"]
CMD ["stub", "--host=0.0.0.0"]

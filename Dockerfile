# The service as an image: `longcode` on the PATH, an unprivileged user, and a root filesystem that can be read-only.
# Without settings it runs the sandbox with its embedded database. compose.yaml runs it for production.
# CI has no Docker: tests in test/release rebuild the files of the image from the COPY lines below and run the commands
# of the docs in them.

FROM node:24-bookworm-slim AS build
WORKDIR /app
# Packages first: this layer stays cached until the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# For `longcode --version`: docker build --build-arg LONGCODE_COMMIT=$(git rev-parse HEAD)
ARG LONGCODE_COMMIT=
# The SBOM goes into the image as dist/sbom.cdx.json. What only the build needs stays behind.
RUN npm run build && node scripts/write-commit.mjs && npm run sbom && npm prune --omit=dev \
  && mkdir program && mv dist/main.js dist/part-*.js dist/console dist/docs dist/sbom.cdx.json program \
  && { [ ! -f dist/commit ] || mv dist/commit program; }

# The same Debian as above, because the sharp and PostgreSQL binaries from npm match its libc.
FROM node:24-bookworm-slim
# The default, 127.0.0.1, is not reachable from outside the container.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 LONGCODE_DATA=/data
WORKDIR /app
# A named volume mounted here inherits this owner, so the sandbox can write its database.
RUN install -d -o node -g node -m 0700 /data && ln -s /app/bin/longcode.mjs /usr/local/bin/longcode
COPY --from=build /app/package.json /app/openapi.json /app/openapi.operator.json /app/openapi.sandbox.json /app/LICENSE /app/README.md /app/CHANGELOG.md ./
COPY --from=build /app/.env.example /app/carriers.example.yaml /app/trunks.example.yaml ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/docs ./docs
COPY --from=build /app/examples ./examples
COPY --from=build /app/ops ./ops
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/program ./dist
# An unprivileged user that can write only /data. PostgreSQL refuses to run as root anyway.
USER node
EXPOSE 8080
# The slim image has no curl. The sandbox's first start creates its database, hence 60 s.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm, which would intercept the stop signal.
CMD ["node", "--max-semi-space-size=32", "bin/longcode.mjs", "serve"]

# syntax=docker/dockerfile:1
# The service in a container. `docker build -t asi-server .`; compose.yaml starts it with a worker and PostgreSQL.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run release

FROM ${NODE_IMAGE} AS install
WORKDIR /opt/asi
COPY --from=build /src/release/ ./
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_PORT=9464 DATA_DIR=/data
# The allocator of glibc returns freed memory to the system. See "Sizing" in docs/operating.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
COPY --from=install /opt/asi/node_modules /opt/asi/node_modules
# The operator's commands: docker compose exec service asi-server ...
RUN ln -s /opt/asi/node_modules/.bin/asi-server /usr/local/bin/asi-server \
    && mkdir --mode=0700 /data \
    && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080 9464
# At METRICS_PORT, which a worker has too.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health/ready/`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Node.js itself is process 1, so SIGTERM reaches the service.
ENTRYPOINT ["node", "/opt/asi/node_modules/asi-server/dist/main.js"]

# mcp-proxmox in a container. stdio by default:
#   docker run -i --rm --env-file proxmox.env ghcr.io/mcp-proxmox/mcp-proxmox
# HTTP needs its flags, a port, and a file that says who may ask (docs/http.md):
#   docker run --rm -p 127.0.0.1:8765:8765 --env-file proxmox.env -v /etc/mcp-proxmox:/etc/mcp-proxmox:ro \
#     ghcr.io/mcp-proxmox/mcp-proxmox serve --http 0.0.0.0:8765 --auth-file /etc/mcp-proxmox/callers.json \
#     --allowed-host localhost
# Docker's own --env-file reads plain NAME=value lines: no quotes.

FROM node:24-alpine AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsdown.config.ts ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:24-alpine
LABEL io.modelcontextprotocol.server.name="io.github.mcp-proxmox/mcp-proxmox"
LABEL org.opencontainers.image.title="mcp-proxmox"
LABEL org.opencontainers.image.description="Read-only MCP server for Proxmox VE"
LABEL org.opencontainers.image.source="https://github.com/mcp-proxmox/mcp-proxmox"
LABEL org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/dist /app
COPY LICENSE /app/LICENSE
# The image's own unprivileged user; the program writes nothing, so that `--read-only` works too.
USER node
ENTRYPOINT ["node", "/app/mcp-proxmox.mjs"]

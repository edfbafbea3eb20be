# The server in front of S3 and DynamoDB: docker run -p 4600:4600 -e AWS_REGION=… varve --bucket … --table …
# Whoever reaches its port may read, write and delete: put it where only those who may do so reach it.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /varve
COPY package.json package-lock.json ./
# The image has Node 24 already, so the package that brings it need not be installed.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node node_modules/node-bin-* && npm cache clean --force
COPY lib lib
USER node
EXPOSE 4600
HEALTHCHECK --interval=10s --timeout=3s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4600/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM ends it when what is under way is done.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "lib/server.ts", "--store", "aws", "--host", "0.0.0.0", "--insecure"]

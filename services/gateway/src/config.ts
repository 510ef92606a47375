import {
  busFields,
  coreFields,
  defineConfig,
  duration,
  int,
  list,
  port,
  processFields,
  redisFields,
  secret,
  str,
  uploadFields,
} from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...coreFields(),
  ...redisFields(),
  ...uploadFields(),
  host: str('PARLEY_WEBSERVER_HOST', { default: '0.0.0.0', doc: 'Address the public port listens on.' }),
  port: port(['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'], {
    toml: 'webserver.port',
    default: 8080,
    doc: 'The public port: Connect, gRPC, gRPC-Web and the browser routes; 0 takes a free one.',
  }),
  cookieSigningSecret: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET', {
    toml: 'webserver.cookie_signing_secret',
    doc: 'Secret of the session and CSRF cookies; the same on gateway and realtime.',
  }),
  allowedOrigins: list('PARLEY_WEBSERVER_ALLOWED_ORIGINS', {
    toml: 'webserver.allowed_origins',
    default: ['*'],
    doc: 'Origins whose pages may read answers; exact entries may send cookies, "*" may not.',
  }),
  trustedProxies: list('PARLEY_WEBSERVER_TRUSTED_PROXIES', {
    toml: 'webserver.trusted_proxies',
    default: [],
    pattern: /^[0-9A-Fa-f:.]+(\/\d{1,3})?$/,
    doc: 'Proxies in front of this port, as addresses or networks (10.0.0.0/8): their X-Forwarded-For is believed.',
  }),
  compressionMinBytes: int('PARLEY_WEBSERVER_API_COMPRESSION_MIN_BYTES', {
    toml: 'webserver.api_compression_min_bytes',
    default: 1024,
    min: 0,
    doc: 'Answers from this size on are compressed with gzip for clients that take it; 0 switches compression off.',
  }),
  requestTimeoutMs: duration('PARLEY_GATEWAY_REQUEST_TIMEOUT', {
    default: '10s',
    doc: 'Longest time a call may take; clients may ask for less.',
  }),
  realtimeUrls: list('PARLEY_GATEWAY_REALTIME_URLS', {
    default: [],
    doc: 'Realtime nodes to pass /api/realtime on to, where no ingress does; http URLs.',
  }),
  assetsUrls: list('PARLEY_GATEWAY_ASSETS_URLS', {
    default: [],
    doc: 'Where to pass /assets/ on to, where no ingress does; http URLs.',
  }),
  uploadsUrls: list('PARLEY_GATEWAY_UPLOADS_URLS', {
    default: [],
    doc: 'Where the bytes of uploads are handed over; http URLs. Default: PARLEY_GATEWAY_ASSETS_URLS.',
  }),
  blobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET', {
    min: 32,
    doc: 'Key under which they are handed over; the same as for uploads and nobody else.',
  }),
  webhooksUrls: list('PARLEY_GATEWAY_WEBHOOKS_URLS', {
    default: [],
    doc: 'Where to pass /webhooks/ on to, where no ingress does; http URLs.',
  }),
})

export type Config = ReturnType<typeof readConfig>

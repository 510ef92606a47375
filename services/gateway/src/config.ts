import {
  bool,
  bytes,
  busFields,
  clientNetworkFields,
  cookieFields,
  coreFields,
  defineConfig,
  duration,
  int,
  list,
  originFields,
  port,
  processFields,
  redisFields,
  secret,
  str,
  uploadFields,
} from '@parley/config'

const callsPerMinute = (kind: string, usual: number, what: string) =>
  int(`PARLEY_LIMITS_${kind.toUpperCase()}_PER_MINUTE`, {
    toml: `limits.${kind}_per_minute`,
    default: usual,
    min: 0,
    doc: `${what} per user (or per network, if not signed in) and minute; 0: no limit.`,
  })

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...coreFields(),
  ...cookieFields(),
  ...redisFields(),
  ...uploadFields(),
  ...originFields(),
  ...clientNetworkFields(),
  host: str('PARLEY_WEBSERVER_HOST', { default: '0.0.0.0', doc: 'Address the public port listens on.' }),
  port: port(['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'], {
    toml: 'webserver.port',
    default: 8080,
    doc: 'The public port: Connect, gRPC, gRPC-Web and the browser routes; 0 takes a free one.',
  }),
  oauthRedirectOrigins: list('PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS', {
    toml: 'webserver.oauth_redirect_origins',
    default: [],
    doc: 'Origins of other web clients that users may allow; "*" stands for any https origin. Those of allowed_origins, this server and loopback addresses may always be allowed.',
  }),
  signInWindowMs: duration('PARLEY_GATEWAY_SIGN_IN_WINDOW', {
    default: '5m',
    min: 1_000,
    doc: 'How long failed sign-ins and requested mails are counted.',
  }),
  signInAttempts: int('PARLEY_GATEWAY_SIGN_IN_ATTEMPTS', {
    default: 10,
    min: 1,
    doc: 'Failed sign-ins to one account from one address in that time, or from one browser that signed in to it before; wider networks have a little more (docs/running.md).',
  }),
  signInAttemptsPerAddress: int('PARLEY_GATEWAY_SIGN_IN_ATTEMPTS_PER_ADDRESS', {
    default: 100,
    min: 1,
    doc: 'Failed sign-ins from one address in that time; wider networks have a little more.',
  }),
  signInSlowAfter: int('PARLEY_GATEWAY_SIGN_IN_SLOW_AFTER', {
    default: 10,
    min: 1,
    doc: 'Failed sign-ins to one account, from anywhere, after which one attempt per 5 s is accepted; browsers that signed in before are not slowed down. Accounts are never locked.',
  }),
  providerSignInsPerAddress: int('PARLEY_GATEWAY_PROVIDER_SIGN_INS_PER_ADDRESS', {
    default: 1_000,
    min: 1,
    doc: 'Sign-ins at providers that one address may begin in that time.',
  }),
  mailsPerAddress: int('PARLEY_GATEWAY_MAILS_PER_ADDRESS', {
    default: 100,
    min: 1,
    doc: 'Mails (codes, links) that one address may ask for in that time.',
  }),
  compression: bool('PARLEY_WEBSERVER_API_COMPRESSION', {
    toml: 'webserver.api_compression',
    default: true,
    doc: 'Whether responses are compressed.',
  }),
  compressionMinBytes: int('PARLEY_WEBSERVER_API_COMPRESSION_MIN_BYTES', {
    toml: 'webserver.api_compression_min_bytes',
    default: 1024,
    min: 0,
    doc: 'Answers from this size on are compressed with gzip for clients that take it; 0 switches compression off.',
  }),
  readsPerMinute: callsPerMinute('reads', 120_000, 'Calls that change nothing'),
  writesPerMinute: callsPerMinute('writes', 6_000, 'Calls that change something'),
  searchesPerMinute: callsPerMinute('searches', 6_000, 'Searches'),
  uploadsPerMinute: callsPerMinute('uploads', 6_000, 'Calls that bring bytes: chunks of files, images'),
  outboundPerMinute: callsPerMinute(
    'outbound',
    120,
    'Link previews and push subscriptions, which have other servers asked,',
  ),
  heldBytes: bytes('PARLEY_GATEWAY_HELD_BYTES', {
    default: '128 MiB',
    min: 1024 * 1024,
    doc: 'Bytes of requests being read and of answers not sent yet that one process holds; images are counted apart, four at a time.',
  }),
  heldBytesPerAddress: bytes('PARLEY_GATEWAY_HELD_BYTES_PER_ADDRESS', {
    default: '64 MiB',
    min: 1024 * 1024,
    doc: 'The same for one network.',
  }),
  connectionsPerAddress: int('PARLEY_GATEWAY_CONNECTIONS_PER_ADDRESS', {
    default: 2_000,
    min: 0,
    doc: 'Connections of one network to one process, except those of trusted proxies; 0: no limit.',
  }),
  clientFolder: str('PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY', {
    default: 'packages/web/dist',
    doc: 'Folder of the built web client; a relative one is looked for from the working folder.',
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
    doc: 'Servers to which /assets/ is forwarded if no ingress does that; http URLs.',
  }),
  uploadsUrls: list('PARLEY_GATEWAY_UPLOADS_URLS', {
    default: [],
    doc: 'Servers to which the bytes of images are sent; http URLs. Default: PARLEY_GATEWAY_ASSETS_URLS.',
  }),
  blobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET', {
    min: 32,
    doc: 'Key that signs the tickets for these bytes; only the gateway and uploads may have it.',
  }),
  webhooksUrls: list('PARLEY_GATEWAY_WEBHOOKS_URLS', {
    default: [],
    doc: 'Servers to which /webhooks/ is forwarded if no ingress does that; http URLs.',
  }),
})

export type Config = ReturnType<typeof readConfig>

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
  timerDuration,
  uploadFields,
} from '@parley/config'

const callsPerMinute = (kind: string, usual: number, what: string) =>
  int(`PARLEY_LIMITS_${kind.toUpperCase()}_PER_MINUTE`, {
    toml: `limits.${kind}_per_minute`,
    default: usual,
    min: 0,
    doc: `Maximum number of ${what} per minute and user, or per network if not signed in; 0: no limit.`,
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
  host: str('PARLEY_WEBSERVER_HOST', { default: '0.0.0.0', doc: 'Address on which the public port listens.' }),
  port: port(['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'], {
    toml: 'webserver.port',
    default: 8080,
    doc: 'The public port: Connect, gRPC, gRPC-Web and the browser routes; 0: any free port.',
  }),
  oauthRedirectOrigins: list('PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS', {
    toml: 'webserver.oauth_redirect_origins',
    default: [],
    doc: 'Origins of other web clients to which users may grant access to their account; "*": any https origin. Origins in webserver.allowed_origins, the origin of this server and loopback addresses are always allowed.',
  }),
  signInWindowMs: duration('PARLEY_GATEWAY_SIGN_IN_WINDOW', {
    default: '5m',
    min: 1_000,
    doc: 'Period over which failed sign-ins, started sign-ins at external providers and requested mails are counted.',
  }),
  signInAttempts: int('PARLEY_GATEWAY_SIGN_IN_ATTEMPTS', {
    default: 10,
    min: 1,
    doc: 'Maximum number of failed sign-ins within PARLEY_GATEWAY_SIGN_IN_WINDOW to one account from one address, or from one browser that signed in to it before. Wider networks have higher limits (docs/operating/configure.md).',
  }),
  signInAttemptsPerAddress: int('PARLEY_GATEWAY_SIGN_IN_ATTEMPTS_PER_ADDRESS', {
    default: 100,
    min: 1,
    doc: 'Maximum number of failed sign-ins within PARLEY_GATEWAY_SIGN_IN_WINDOW from one address, to any accounts. Wider networks have higher limits (docs/operating/configure.md).',
  }),
  signInSlowAfter: int('PARLEY_GATEWAY_SIGN_IN_SLOW_AFTER', {
    default: 10,
    min: 1,
    doc: 'Number of failed sign-ins within PARLEY_GATEWAY_SIGN_IN_WINDOW to one account, from all addresses together, after which only one attempt per 5 s is accepted. Failures elsewhere do not slow down browsers that signed in to the account before, and accounts are never locked.',
  }),
  providerSignInsPerAddress: int('PARLEY_GATEWAY_PROVIDER_SIGN_INS_PER_ADDRESS', {
    default: 1_000,
    min: 1,
    doc: 'Maximum number of sign-ins at external providers that one address may start within PARLEY_GATEWAY_SIGN_IN_WINDOW.',
  }),
  mailsPerAddress: int('PARLEY_GATEWAY_MAILS_PER_ADDRESS', {
    default: 100,
    min: 1,
    doc: 'Maximum number of mails with codes or links that one address may request within PARLEY_GATEWAY_SIGN_IN_WINDOW.',
  }),
  compression: bool('PARLEY_WEBSERVER_API_COMPRESSION', {
    toml: 'webserver.api_compression',
    default: true,
    doc: 'Whether the responses of calls with Connect over HTTP/1.1 are compressed.',
  }),
  compressionMinBytes: int('PARLEY_WEBSERVER_API_COMPRESSION_MIN_BYTES', {
    toml: 'webserver.api_compression_min_bytes',
    default: 1024,
    min: 0,
    doc: 'Size in bytes from which such responses are compressed, if the client accepts gzip; 0 switches compression off.',
  }),
  readsPerMinute: callsPerMinute('reads', 120_000, 'calls that change nothing'),
  writesPerMinute: callsPerMinute('writes', 6_000, 'calls that change something'),
  searchesPerMinute: callsPerMinute('searches', 6_000, 'searches'),
  uploadsPerMinute: callsPerMinute(
    'uploads',
    6_000,
    'calls that upload images, or create, fill, finish or cancel uploads of files,',
  ),
  outboundPerMinute: callsPerMinute(
    'outbound',
    120,
    'link previews and push subscriptions, for which this server contacts other servers,',
  ),
  heldBytes: bytes('PARLEY_GATEWAY_HELD_BYTES', {
    default: '128 MiB',
    min: 1024 * 1024,
    doc: 'Maximum memory of one process for requests being read and responses not yet sent. Images are not counted; a process handles at most four at a time, two of one user.',
  }),
  heldBytesPerAddress: bytes('PARLEY_GATEWAY_HELD_BYTES_PER_ADDRESS', {
    default: '64 MiB',
    min: 1024 * 1024,
    doc: 'Maximum memory of one process for the requests and unsent responses of one network.',
  }),
  connectionsPerAddress: int('PARLEY_GATEWAY_CONNECTIONS_PER_ADDRESS', {
    default: 2_000,
    min: 0,
    doc: 'Maximum number of connections from one network to one process. Connections of trusted proxies are not counted. 0: no limit.',
  }),
  clientFolder: str('PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY', {
    default: 'packages/web/dist',
    doc: 'Directory of the built web client; a relative path is resolved against the working directory.',
  }),
  requestTimeoutMs: timerDuration('PARLEY_GATEWAY_REQUEST_TIMEOUT', {
    default: '10s',
    doc: 'Maximum duration of a call; clients may set a shorter deadline.',
  }),
  realtimeUrls: list('PARLEY_GATEWAY_REALTIME_URLS', {
    default: [],
    doc: 'http URLs of the realtime nodes to which /api/realtime is forwarded if no ingress does that.',
  }),
  assetsUrls: list('PARLEY_GATEWAY_ASSETS_URLS', {
    default: [],
    doc: 'http URLs of the servers to which /assets/ is forwarded if no ingress does that.',
  }),
  uploadsUrls: list('PARLEY_GATEWAY_UPLOADS_URLS', {
    default: [],
    doc: 'http URLs of the servers to which the bytes of images are sent. Default: PARLEY_GATEWAY_ASSETS_URLS.',
  }),
  blobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET', {
    min: 32,
    doc: 'Key that signs the tickets of the images that the gateway sends to uploads; at least 32 characters, known only to these two.',
  }),
  webhooksUrls: list('PARLEY_GATEWAY_WEBHOOKS_URLS', {
    default: [],
    doc: 'http URLs of the servers to which /webhooks/ is forwarded if no ingress does that.',
  }),
})

export type Config = ReturnType<typeof readConfig>

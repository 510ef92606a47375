import { bool, bytes, duration, int, list, oneOf, port, secret, str, timerDuration, url } from './kinds.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const processFields = () => ({
  logLevel: oneOf('PARLEY_GENERAL_LOG_LEVEL', {
    toml: 'general.log_level',
    values: logLevels,
    default: 'info',
    doc: 'lowest level that is logged; silent logs nothing, but still sends warnings and errors to a telemetry collector',
  }),
  internalHost: str('PARLEY_INTERNAL_HOST', {
    default: '127.0.0.1',
    doc: 'bind address of the internal HTTP server (see PARLEY_INTERNAL_PORT)',
  }),
  internalPort: port('PARLEY_INTERNAL_PORT', {
    default: 0,
    doc: 'port of the internal HTTP server (/healthz, /readyz, /status and /metrics); 0: any free port',
  }),
  joinClientTraces: bool('PARLEY_JOIN_CLIENT_TRACES', {
    default: false,
    doc: 'whether to continue the traces in the traceparent headers of clients; clients then decide which traces are sampled',
  }),
  drainTimeoutMs: timerDuration('PARLEY_DRAIN_TIMEOUT', {
    default: '15s',
    doc: 'maximum time after SIGTERM for work in progress to finish',
  }),
})

export const busFields = () => ({
  natsUrl: str('PARLEY_NATS_URL', {
    pattern: /^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/,
    doc: 'NATS servers, separated by commas',
  }),
  natsUser: str('PARLEY_NATS_USER', {
    optional: true,
    doc: 'NATS user of this deployable; the connection for events uses this name with the suffix -events',
  }),
  natsPassword: secret('PARLEY_NATS_PASSWORD', {
    optional: true,
    doc: 'password of PARLEY_NATS_USER; the user with the suffix -events has the same password',
  }),
})

/** `service`: the deployable's name. */
export const databaseFields = (service: string) => ({
  databaseUrl: secret(`PARLEY_${service.toUpperCase()}_DATABASE_URL`, {
    pattern: /^postgres(ql)?:\/\//,
    doc: `URL of the PostgreSQL database of ${service}`,
  }),
  databasePool: int('PARLEY_DATABASE_POOL', {
    default: 10,
    min: 1,
    doc: 'maximum number of database connections of one deployable in one process',
  }),
})

export const redisFields = () => ({
  redisUrl: secret('PARLEY_REDIS_URL', { pattern: /^rediss?:\/\//, doc: 'URL of the Redis server' }),
})

export const outboundFields = () => ({
  privateNetworks: list('PARLEY_OUTBOUND_PRIVATE_NETWORKS', {
    toml: 'outbound.private_networks',
    default: [],
    doc: 'additional networks (CIDR notation) to treat as private although their addresses are public, such as those of an IPv6 cluster; no requests go there',
  }),
})

export const publicUrlField = () => ({
  publicUrl: url('PARLEY_WEBSERVER_URL', {
    toml: 'webserver.url',
    pattern: /^https?:/,
    doc: 'URL at which people reach this server, such as https://chat.example.org',
  }),
})

export const coreFields = () => ({
  secretKey: secret('PARLEY_CORE_SECRET_KEY', {
    toml: 'core.secret_key',
    min: 32,
    doc: 'key for the digests of credentials; the same for the whole fleet, at least 32 characters',
  }),
  previousSecretKey: secret('PARLEY_CORE_SECRET_KEY_PREVIOUS', {
    toml: 'core.secret_key_previous',
    min: 32,
    optional: true,
    doc: 'core.secret_key before its last rotation; credentials issued with it stay valid',
  }),
  ...publicUrlField(),
})

export const cookieFields = () => ({
  cookieSigningSecret: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET', {
    toml: 'webserver.cookie_signing_secret',
    doc: 'secret that signs session and CSRF cookies; the same for gateway, realtime and uploads',
  }),
  previousCookieSigningSecret: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET_PREVIOUS', {
    toml: 'webserver.cookie_signing_secret_previous',
    optional: true,
    doc: 'webserver.cookie_signing_secret before its last rotation; cookies signed with it stay valid',
  }),
})

export const originFields = () => ({
  allowedOrigins: list('PARLEY_WEBSERVER_ALLOWED_ORIGINS', {
    toml: 'webserver.allowed_origins',
    default: ['*'],
    doc: 'Origins that CORS allows. Explicitly listed origins may send credentials; "*" allows every origin, without credentials.',
  }),
})

export const clientNetworkFields = () => ({
  trustedProxies: list('PARLEY_WEBSERVER_TRUSTED_PROXIES', {
    toml: 'webserver.trusted_proxies',
    default: [],
    pattern: /^[0-9A-Fa-f:.]+(\/\d{1,3})?$/,
    doc: 'Proxies in front of the HTTP port, as addresses or networks (10.0.0.0/8), whose X-Forwarded-For is trusted. Services behind the gateway trust it without listing it here.',
  }),
  unauthenticatedPerMinute: int('PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE', {
    toml: 'limits.unauthenticated_per_minute',
    default: 6_000,
    min: 0,
    doc: 'Maximum number of requests (calls, files, sockets) per minute and client network that require a credential but carry no valid one; 0: no limit.',
  }),
})

export const assetsFields = () => ({
  assetsSigningSecret: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET', {
    toml: 'core.assets.signing_secret',
    min: 32,
    doc: 'secret that signs asset URLs; the same for the whole fleet, at least 32 characters',
  }),
  ...publicUrlField(),
})

export const uploadFields = () => ({
  maxUploadBytes: bytes('PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE', {
    toml: 'core.assets.max_upload_size',
    default: '25 MiB',
    min: 1,
    doc: 'maximum size of an uploaded file; videos have their own limit, video.max_upload_size',
  }),
})

export const videoFields = () => ({
  videoEnabled: bool('PARLEY_VIDEO_ENABLED', {
    toml: 'video.enabled',
    default: false,
    doc: 'whether videos may be uploaded and are processed; if false, uploads of videos are refused',
  }),
  maxVideoUploadBytes: bytes('PARLEY_VIDEO_MAX_UPLOAD_SIZE', {
    toml: 'video.max_upload_size',
    default: '100 MB',
    doc: 'maximum size of a video, if video.enabled is set',
  }),
})

export const registrationFields = () => ({
  directRegistration: bool('PARLEY_AUTH_DIRECT_REGISTRATION', {
    toml: 'auth.direct_registration',
    default: true,
    doc: 'whether anybody may register with an e-mail address',
  }),
})

export const editFields = () => ({
  editWindowMs: duration('PARLEY_MESSAGING_EDIT_WINDOW', {
    default: '3h',
    doc: 'how long authors may edit a message; the same for messaging, which enforces it, and admin, which reports it to clients',
  }),
})

import { bool, bytes, duration, int, list, oneOf, port, secret, str, url } from './kinds.ts'

/** Log levels of a process. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Settings of every process: log level, internal port, time to drain. */
export const processFields = () => ({
  logLevel: oneOf('PARLEY_GENERAL_LOG_LEVEL', {
    toml: 'general.log_level',
    values: logLevels,
    default: 'info',
    doc: 'least important log line that is written',
  }),
  internalHost: str('PARLEY_INTERNAL_HOST', {
    default: '127.0.0.1',
    doc: 'address of the internal port (/healthz, /readyz, /metrics)',
  }),
  internalPort: port('PARLEY_INTERNAL_PORT', { default: 0, doc: 'the internal port; 0 takes a free one' }),
  drainTimeoutMs: duration('PARLEY_DRAIN_TIMEOUT', {
    default: '15s',
    doc: 'time that running work has to finish after SIGTERM',
  }),
})

/** Connection of a process to NATS. */
export const busFields = () => ({
  natsUrl: str('PARLEY_NATS_URL', {
    pattern: /^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/,
    doc: 'NATS servers, separated by commas',
  }),
  natsUser: str('PARLEY_NATS_USER', {
    optional: true,
    doc: 'user of this deployable at NATS; that for events has -events behind it',
  }),
  natsPassword: secret('PARLEY_NATS_PASSWORD', { optional: true, doc: 'its password' }),
})

/** Connection of a service to its database; `service` is the deployable's name. */
export const databaseFields = (service: string) => ({
  databaseUrl: secret(`PARLEY_${service.toUpperCase()}_DATABASE_URL`, {
    pattern: /^postgres(ql)?:\/\//,
    doc: `PostgreSQL database of ${service}`,
  }),
  databasePool: int('PARLEY_DATABASE_POOL', { default: 10, min: 1, doc: 'most connections of one process' }),
})

/** Connection of a process to Redis. */
export const redisFields = () => ({
  redisUrl: secret('PARLEY_REDIS_URL', { pattern: /^rediss?:\/\//, doc: 'Redis server' }),
})

/** Limits for requests to servers that users name. */
export const outboundFields = () => ({
  privateNetworks: list('PARLEY_OUTBOUND_PRIVATE_NETWORKS', {
    toml: 'outbound.private_networks',
    default: [],
    doc: 'networks with public addresses (CIDR notation) that are never asked, such as those of a cluster with IPv6',
  }),
})

/** The public address of the server. */
export const publicUrlField = () => ({
  publicUrl: url('PARLEY_WEBSERVER_URL', {
    toml: 'webserver.url',
    pattern: /^https?:/,
    doc: 'where people reach this server, such as https://chat.example.org',
  }),
})

/** Settings shared by the whole fleet. */
export const coreFields = () => ({
  secretKey: secret('PARLEY_CORE_SECRET_KEY', {
    toml: 'core.secret_key',
    min: 32,
    doc: 'key of the digests of credentials; the same for the whole fleet, at least 32 characters',
  }),
  previousSecretKey: secret('PARLEY_CORE_SECRET_KEY_PREVIOUS', {
    toml: 'core.secret_key_previous',
    min: 32,
    optional: true,
    doc: 'the secret key before it was rotated: credentials made with it still hold',
  }),
  ...publicUrlField(),
})

/** Settings of the deployables that sign or verify browser cookies. */
export const cookieFields = () => ({
  cookieSigningSecret: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET', {
    toml: 'webserver.cookie_signing_secret',
    doc: 'secret of the session and CSRF cookies; the same on gateway, realtime and uploads',
  }),
  previousCookieSigningSecret: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET_PREVIOUS', {
    toml: 'webserver.cookie_signing_secret_previous',
    optional: true,
    doc: 'that secret before it was rotated: cookies signed with it are still believed',
  }),
})

/** Origins whose pages may read responses of this server. */
export const originFields = () => ({
  allowedOrigins: list('PARLEY_WEBSERVER_ALLOWED_ORIGINS', {
    toml: 'webserver.allowed_origins',
    default: ['*'],
    doc: 'Origins whose pages may read answers; exact entries may send cookies, "*" may not.',
  }),
})

/** How deployables with clients determine the client's network, and the limits of a network. */
export const clientNetworkFields = () => ({
  trustedProxies: list('PARLEY_WEBSERVER_TRUSTED_PROXIES', {
    toml: 'webserver.trusted_proxies',
    default: [],
    pattern: /^[0-9A-Fa-f:.]+(\/\d{1,3})?$/,
    doc: 'Proxies in front of the HTTP port, as addresses or networks (10.0.0.0/8): their X-Forwarded-For is believed. The gateway need not be named.',
  }),
  trialsPerMinute: int('PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE', {
    toml: 'limits.unauthenticated_per_minute',
    default: 6_000,
    min: 0,
    doc: 'Calls, requests for files and sockets of one network in a minute that need a credential and come without one that holds; 0: no limit.',
  }),
})

/** Settings of the deployables that create or serve addresses of assets. */
export const assetsFields = () => ({
  assetsSigningSecret: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET', {
    toml: 'core.assets.signing_secret',
    min: 32,
    doc: 'secret of the addresses of assets; the same for the whole fleet, at least 32 characters',
  }),
  ...publicUrlField(),
})

/** Maximum size of a file. */
export const uploadFields = () => ({
  maxUploadBytes: bytes('PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE', {
    toml: 'core.assets.max_upload_size',
    default: '25 MiB',
    min: 1,
    doc: 'largest file of any kind',
  }),
})

/** Whether videos are processed, and their maximum size. */
export const videoFields = () => ({
  videoEnabled: bool('PARLEY_VIDEO_ENABLED', {
    toml: 'video.enabled',
    default: false,
    doc: 'whether uploaded videos are processed',
  }),
  maxVideoUploadBytes: bytes('PARLEY_VIDEO_MAX_UPLOAD_SIZE', {
    toml: 'video.max_upload_size',
    default: '100 MB',
    doc: 'largest video, while videos are processed',
  }),
})

/** Whether anyone may create an account by proving an e-mail address. */
export const registrationFields = () => ({
  directRegistration: bool('PARLEY_AUTH_DIRECT_REGISTRATION', {
    toml: 'auth.direct_registration',
    default: true,
    doc: 'whether anybody may register with an e-mail address',
  }),
})

/** How long authors may edit their messages. */
export const editFields = () => ({
  editWindowMs: duration('PARLEY_MESSAGING_EDIT_WINDOW', {
    default: '3h',
    doc: 'how long authors may edit a message; the same for messaging and admin, which tells clients',
  }),
})

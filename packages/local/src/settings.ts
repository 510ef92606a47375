import { bool, defineConfig, int, oneOf, port, secret, str, url } from '@parley/config'

/**
 * Settings of the supervisor. The services also get the PARLEY_ variables of its environment, but the fleet itself sets
 * their ports, and the addresses and credentials of its own servers.
 */
export const readSettings = defineConfig({
  port: port(['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'], {
    toml: 'webserver.port',
    default: 8080,
    doc: 'public port, which serves everything that clients use; 0: any free port',
  }),
  host: str('PARLEY_WEBSERVER_HOST', { default: '127.0.0.1', doc: 'address on which the public port listens' }),
  dataDir: str('PARLEY_DATA_DIR', { default: '.data', doc: 'folder in which the fleet stores all its data' }),
  ownerLogin: str('PARLEY_OWNER_LOGIN', {
    default: 'parley',
    doc: 'login of the owner that is created at the first start',
  }),
  ownerPassword: secret('PARLEY_OWNER_PASSWORD', {
    optional: true,
    doc: 'password of the owner that is created at the first start; if not set, one is generated and shown once',
  }),
  ownerEmail: str('PARLEY_OWNER_EMAIL', {
    optional: true,
    doc: 'e-mail address of the owner that is created at the first start; it counts as verified',
  }),
  readyFile: str('PARLEY_READY_FILE', { optional: true, doc: 'JSON file that exists while the fleet is ready' }),
  replicas: int('PARLEY_REPLICAS', { default: 1, min: 1, max: 8, doc: 'number of processes of each service' }),
  layout: oneOf('PARLEY_LAYOUT', {
    values: ['separate', 'compact'],
    default: 'separate',
    doc: 'compact: two processes, one for requests and one for sockets, instead of one for each deployable',
  }),
  publicUrl: url('PARLEY_WEBSERVER_URL', {
    toml: 'webserver.url',
    pattern: /^https?:/,
    optional: true,
    doc: 'URL at which people reach this server, if it is not the public port of this machine',
  }),
  smtpEnabled: bool('PARLEY_SMTP_ENABLED', {
    toml: 'smtp.enabled',
    default: false,
    doc: 'whether mails are sent through a mail server; if not, they are written to a folder and shown on a local page',
  }),
  livekitEnabled: bool('PARLEY_LIVEKIT_ENABLED', {
    toml: 'livekit.enabled',
    optional: true,
    doc: 'whether calls are enabled; default: only if livekit-server is on PATH, which is then started',
  }),
  videoEnabled: bool('PARLEY_VIDEO_ENABLED', {
    toml: 'video.enabled',
    optional: true,
    doc: 'whether videos may be uploaded and are processed; default: if ffmpeg and ffprobe are on PATH',
  }),
  mailDir: str('PARLEY_MAIL_DIR', {
    optional: true,
    doc: 'folder to which mails are written without a mail server; default: `mail` in the data folder',
  }),
  hangup: oneOf('PARLEY_LOCAL_HANGUP', {
    values: ['stop', 'ignore'],
    default: 'stop',
    doc: 'what happens when the terminal is closed; stop: the fleet stops, ignore: it keeps running, as with nohup make run',
  }),
  fsync: oneOf('PARLEY_LOCAL_FSYNC', {
    values: ['on', 'off'],
    default: 'on',
    doc: 'whether PostgreSQL waits until commits are on disk; off is only for tests: a crash of the machine may corrupt the database',
  }),
})

/** Secrets. The supervisor generates those that neither parley.toml nor the environment contains. */
export const readSecretSettings = defineConfig({
  PARLEY_CORE_SECRET_KEY: secret('PARLEY_CORE_SECRET_KEY', {
    toml: 'core.secret_key',
    optional: true,
    doc: 'key for the digests of credentials',
  }),
  PARLEY_CORE_ASSETS_SIGNING_SECRET: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET', {
    toml: 'core.assets.signing_secret',
    optional: true,
    doc: 'secret that signs asset URLs',
  }),
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET', {
    toml: 'webserver.cookie_signing_secret',
    optional: true,
    doc: 'secret that signs session and CSRF cookies',
  }),
})

/**
 * Settings of push. If neither parley.toml nor the environment sets any of them, the supervisor enables push with keys of
 * its own.
 */
export const readPushSettings = defineConfig({
  enabled: str('PARLEY_PUSH_ENABLED', { toml: 'push.enabled', optional: true, doc: 'whether Web Push is enabled' }),
  publicKey: str('PARLEY_PUSH_VAPID_PUBLIC_KEY', {
    toml: 'push.vapid_public_key',
    optional: true,
    doc: 'public VAPID key with which browsers subscribe',
  }),
  privateKey: secret('PARLEY_PUSH_VAPID_PRIVATE_KEY', {
    toml: 'push.vapid_private_key',
    optional: true,
    doc: 'private key that belongs to the public VAPID key',
  }),
  subject: str('PARLEY_PUSH_VAPID_SUBJECT', {
    toml: 'push.vapid_subject',
    optional: true,
    doc: 'contact of the operator for push services: a mailto: or https: URL',
  }),
})

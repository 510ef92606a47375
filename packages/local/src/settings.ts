import { bool, defineConfig, int, oneOf, port, secret, str, url } from '@parley/config'

/** The supervisor's own settings. All other PARLEY_ variables reach the services unchanged. */
export const readSettings = defineConfig({
  port: port(['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'], {
    toml: 'webserver.port',
    default: 8080,
    doc: 'port of everything that clients use; 0 takes a free one',
  }),
  host: str('PARLEY_WEBSERVER_HOST', { default: '127.0.0.1', doc: 'address this port listens on' }),
  dataDir: str('PARLEY_DATA_DIR', { default: '.data', doc: 'folder of everything that is kept' }),
  ownerLogin: str('PARLEY_OWNER_LOGIN', { default: 'parley', doc: 'login of the first owner, for the first start' }),
  ownerPassword: secret('PARLEY_OWNER_PASSWORD', {
    optional: true,
    doc: 'its password; made up and shown once if not set',
  }),
  ownerEmail: str('PARLEY_OWNER_EMAIL', { optional: true, doc: 'its e-mail address, recorded as verified' }),
  readyFile: str('PARLEY_READY_FILE', { optional: true, doc: 'JSON file that exists while the fleet is ready' }),
  replicas: int('PARLEY_REPLICAS', { default: 1, min: 1, max: 8, doc: 'processes of every service' }),
  layout: oneOf('PARLEY_LAYOUT', {
    values: ['separate', 'compact'],
    default: 'separate',
    doc: 'compact: two processes, one for requests and one for sockets, instead of one for each deployable',
  }),
  publicUrl: url('PARLEY_WEBSERVER_URL', {
    toml: 'webserver.url',
    pattern: /^https?:/,
    optional: true,
    doc: 'where people reach this server, if not at that port of this machine',
  }),
  smtpEnabled: bool('PARLEY_SMTP_ENABLED', {
    toml: 'smtp.enabled',
    default: false,
    doc: 'whether a mail server is configured; else mails stay in a folder and are shown on a page of this machine',
  }),
  livekitEnabled: bool('PARLEY_LIVEKIT_ENABLED', {
    toml: 'livekit.enabled',
    optional: true,
    doc: 'whether there are calls; if not set, there are when livekit-server is on PATH, which is started then',
  }),
  videoEnabled: bool('PARLEY_VIDEO_ENABLED', {
    toml: 'video.enabled',
    optional: true,
    doc: 'whether videos are processed; if not set, they are when ffmpeg and ffprobe are on PATH',
  }),
  mailDir: str('PARLEY_MAIL_DIR', { optional: true, doc: 'this folder, if not `mail` of the data folder' }),
  hangup: oneOf('PARLEY_LOCAL_HANGUP', {
    values: ['stop', 'ignore'],
    default: 'stop',
    doc: 'ignore: runs on when its terminal is closed; set by nohup make run',
  }),
  fsync: oneOf('PARLEY_LOCAL_FSYNC', {
    values: ['on', 'off'],
    default: 'on',
    doc: 'off: commits may be lost when the machine stops; for tests',
  }),
})

/** Secrets that the supervisor makes up unless the environment or the file has them. */
export const readGivenSecrets = defineConfig({
  PARLEY_CORE_SECRET_KEY: secret('PARLEY_CORE_SECRET_KEY', {
    toml: 'core.secret_key',
    optional: true,
    doc: 'key of the digests of credentials',
  }),
  PARLEY_CORE_ASSETS_SIGNING_SECRET: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET', {
    toml: 'core.assets.signing_secret',
    optional: true,
    doc: 'secret of the addresses of assets',
  }),
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: secret('PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET', {
    toml: 'webserver.cookie_signing_secret',
    optional: true,
    doc: 'secret of the session and CSRF cookies',
  }),
})

/**
 * Push notifications, which the supervisor enables with its own keys unless the environment or the file configures
 * them.
 */
export const readGivenPush = defineConfig({
  enabled: str('PARLEY_PUSH_ENABLED', { toml: 'push.enabled', optional: true, doc: 'whether there is Web Push' }),
  publicKey: str('PARLEY_PUSH_VAPID_PUBLIC_KEY', { toml: 'push.vapid_public_key', optional: true, doc: 'public key' }),
  privateKey: secret('PARLEY_PUSH_VAPID_PRIVATE_KEY', {
    toml: 'push.vapid_private_key',
    optional: true,
    doc: 'private key',
  }),
  subject: str('PARLEY_PUSH_VAPID_SUBJECT', { toml: 'push.vapid_subject', optional: true, doc: 'who runs the server' }),
})

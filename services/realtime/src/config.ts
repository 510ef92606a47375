import {
  busFields,
  clientNetworkFields,
  cookieFields,
  coreFields,
  defineConfig,
  duration,
  int,
  list,
  port,
  processFields,
  str,
  timerDuration,
} from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...coreFields(),
  ...cookieFields(),
  ...clientNetworkFields(),
  host: str('PARLEY_REALTIME_HOST', { default: '0.0.0.0', doc: 'Bind address of the socket port.' }),
  port: port('PARLEY_REALTIME_PORT', { default: 8081, doc: 'Port of GET /api/realtime; 0: any free port.' }),
  allowedOrigins: list('PARLEY_WEBSERVER_ALLOWED_ORIGINS', {
    toml: 'webserver.allowed_origins',
    default: ['*'],
    doc: 'Origins that may open sockets. "*" admits any origin with a bearer token; a cookie from a web page requires the origin of webserver.url (with http also that of the requested host) or an exact entry.',
  }),
  heartbeatIntervalMs: duration('PARLEY_REALTIME_HEARTBEAT_INTERVAL', {
    default: '15s',
    doc: 'Time between heartbeat frames.',
  }),
  handshakeTimeoutMs: duration('PARLEY_REALTIME_HANDSHAKE_TIMEOUT', {
    default: '10s',
    doc: 'Time limit for a new socket to send hello, and then again to send subscribe_events.',
  }),
  drainWindowMs: timerDuration('PARLEY_REALTIME_DRAIN_WINDOW', {
    default: '10s',
    doc: 'Period over which a stopping node closes its sockets, in random groups.',
  }),
  maxBackpressureBytes: int('PARLEY_REALTIME_MAX_BACKPRESSURE', {
    default: 1_048_576,
    min: 65_536,
    doc: 'Maximum number of unsent bytes of a socket, above which it is closed. It is also closed if it stays above half of this limit.',
  }),
  replayWindowMs: duration('PARLEY_REALTIME_REPLAY_WINDOW', {
    default: '2m',
    doc: 'How long events are kept in memory, so that a client that was disconnected can receive what it missed.',
  }),
  replayBytes: int('PARLEY_REALTIME_REPLAY_BYTES', {
    default: 67_108_864,
    min: 1_048_576,
    doc: 'Maximum memory in bytes for the events of PARLEY_REALTIME_REPLAY_WINDOW; above that the oldest are dropped.',
  }),
  maxSocketAgeMs: duration('PARLEY_REALTIME_MAX_SOCKET_AGE', {
    default: '6h',
    min: 0,
    doc: 'Approximate time after which a socket is closed so that its client reconnects and nodes added later receive their share; 0s: never.',
  }),
  hellosPerSecond: int('PARLEY_REALTIME_HELLOS_PER_SECOND', {
    default: 1_000,
    min: 0,
    doc: 'Maximum number of sockets that one node admits per second, or twice as many at once after a pause; the answer to further clients says when to retry. Credentials that were valid there before have a separate limit of the same size. 0: no limit.',
  }),
  socketsPerPerson: int('PARLEY_REALTIME_SOCKETS_PER_PERSON', {
    default: 100,
    min: 0,
    doc: 'Maximum number of open sockets of one person to one node; 0: no limit.',
  }),
  verifyIntervalMs: duration('PARLEY_REALTIME_VERIFY_INTERVAL', {
    default: '10m',
    doc: 'Interval at which the sessions and tokens of open sockets are verified.',
  }),
})

export type Config = ReturnType<typeof readConfig>

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
} from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...coreFields(),
  ...cookieFields(),
  ...clientNetworkFields(),
  host: str('PARLEY_REALTIME_HOST', { default: '0.0.0.0', doc: 'Address the socket port listens on.' }),
  port: port('PARLEY_REALTIME_PORT', { default: 8081, doc: 'Port of GET /api/realtime; 0 takes a free one.' }),
  allowedOrigins: list('PARLEY_WEBSERVER_ALLOWED_ORIGINS', {
    toml: 'webserver.allowed_origins',
    default: ['*'],
    doc: 'Origins that may open sockets; "*" lets any origin in with a bearer token, cookies need the origin of webserver.url or an exact entry.',
  }),
  heartbeatIntervalMs: duration('PARLEY_REALTIME_HEARTBEAT_INTERVAL', {
    default: '15s',
    doc: 'Time between heartbeat frames.',
  }),
  handshakeTimeoutMs: duration('PARLEY_REALTIME_HANDSHAKE_TIMEOUT', {
    default: '10s',
    doc: 'Time limit of a socket for hello, and again for subscribe_events.',
  }),
  drainWindowMs: duration('PARLEY_REALTIME_DRAIN_WINDOW', {
    default: '10s',
    doc: 'Sockets are closed in random slices over this time when the node stops.',
  }),
  maxBackpressureBytes: int('PARLEY_REALTIME_MAX_BACKPRESSURE', {
    default: 1_048_576,
    min: 65_536,
    doc: 'Bytes a slow socket may have waiting before it is closed.',
  }),
  replayWindowMs: duration('PARLEY_REALTIME_REPLAY_WINDOW', {
    default: '2m',
    doc: 'How long events are kept in memory, so that a client that was disconnected can receive what it missed.',
  }),
  replayBytes: int('PARLEY_REALTIME_REPLAY_BYTES', {
    default: 67_108_864,
    min: 1_048_576,
    doc: 'Bytes of memory for those events; beyond it the oldest are dropped.',
  }),
  maxSocketAgeMs: duration('PARLEY_REALTIME_MAX_SOCKET_AGE', {
    default: '6h',
    min: 0,
    doc: 'A socket is closed after about this time and reconnects, so that nodes added later receive their share; 0s: never.',
  }),
  hellosPerSecond: int('PARLEY_REALTIME_HELLOS_PER_SECOND', {
    default: 1_000,
    min: 0,
    doc: 'Sockets that one node admits per second, in bursts of two seconds; the others are told when to return; 0: no limit.',
  }),
  socketsPerPerson: int('PARLEY_REALTIME_SOCKETS_PER_PERSON', {
    default: 100,
    min: 0,
    doc: 'Sockets that one person may have open to one node; 0: no limit.',
  }),
  verifyIntervalMs: duration('PARLEY_REALTIME_VERIFY_INTERVAL', {
    default: '10m',
    doc: 'How often the sessions of open sockets are checked again.',
  }),
})

export type Config = ReturnType<typeof readConfig>

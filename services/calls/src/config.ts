import { busFields, databaseFields, defineConfig, livekitFields, port, processFields, str } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('calls'),
  ...livekitFields(),
  httpHost: str('PARLEY_CALLS_HTTP_HOST', { default: '0.0.0.0', doc: 'address the HTTP port listens on' }),
  httpPort: port('PARLEY_CALLS_HTTP_PORT', { default: 8083, doc: 'port of /webhooks/livekit; 0 takes a free one' }),
})

export type Config = ReturnType<typeof readConfig>

import { busFields, databaseFields, defineConfig, livekitFields, port, processFields, str } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('calls'),
  ...livekitFields(),
  httpHost: str('PARLEY_CALLS_HTTP_HOST', {
    default: '0.0.0.0',
    doc: 'bind address of the HTTP port of calls',
  }),
  httpPort: port('PARLEY_CALLS_HTTP_PORT', {
    default: 8083,
    doc: 'HTTP port of calls, which serves /webhooks/livekit; 0: any free port',
  }),
})

export type Config = ReturnType<typeof readConfig>

import { busFields, databaseFields, defineConfig, livekitFields, port, processFields, str } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('calls'),
  ...livekitFields(),
  httpHost: str('PARLEY_CALLS_HTTP_HOST', {
    default: '0.0.0.0',
    doc: 'address on which the HTTP port of calls listens',
  }),
  httpPort: port('PARLEY_CALLS_HTTP_PORT', {
    default: 8083,
    doc: 'HTTP port of calls, which serves /webhooks/livekit; 0: any free port',
  }),
})

export type Config = ReturnType<typeof readConfig>

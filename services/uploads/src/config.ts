import { busFields, databaseFields, defineConfig, port, processFields, str } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('uploads'),
  httpHost: str('PARLEY_UPLOADS_HTTP_HOST', { default: '0.0.0.0', doc: 'address the HTTP port listens on' }),
  httpPort: port('PARLEY_UPLOADS_HTTP_PORT', { default: 8082, doc: 'port of /assets; 0 takes a free one' }),
})

export type Config = ReturnType<typeof readConfig>

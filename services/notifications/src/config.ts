import {
  bool,
  busFields,
  databaseFields,
  defineConfig,
  outboundFields,
  processFields,
  pushFields,
} from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('notifications'),
  ...pushFields(),
  ...outboundFields(),
  pushAllowPrivate: bool('PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS', {
    default: false,
    doc: 'whether pushes may be sent to push services at private addresses and without TLS',
  }),
})

export type Config = ReturnType<typeof readConfig>

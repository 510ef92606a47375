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
    doc: 'whether push services may lie in the own network, and be reached without TLS',
  }),
})

export type Config = ReturnType<typeof readConfig>

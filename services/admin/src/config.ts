import {
  assetsFields,
  authProviderFields,
  busFields,
  bytes,
  databaseFields,
  defineConfig,
  duration,
  editFields,
  int,
  livekitAddressFields,
  processFields,
  pushOfferFields,
  registrationFields,
  uploadFields,
  videoFields,
} from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('admin'),
  ...assetsFields(),
  ...uploadFields(),
  ...editFields(),
  ...videoFields(),
  ...registrationFields(),
  ...authProviderFields({ secrets: false }),
  ...livekitAddressFields(),
  ...pushOfferFields(),
  streamReplicas: int('PARLEY_NATS_STREAM_REPLICAS', {
    optional: true,
    min: 1,
    max: 5,
    doc: 'copies of the event stream in a cluster of NATS servers: 3 outlive the loss of one server; unless set as it is, 1 when it is made',
  }),
  streamMaxBytes: bytes('PARLEY_NATS_STREAM_MAX_BYTES', {
    default: '12 GiB',
    min: 16 * 1024 ** 2,
    doc: 'most bytes of the event stream, whose oldest events go first; halved until the store of the bus has room for it',
  }),
  auditRetentionMs: duration('PARLEY_AUDIT_RETENTION', {
    toml: 'audit.retention',
    default: '400d',
    min: 86_400_000,
    doc: 'How long entries about security and administration stay in the audit log, at least.',
  }),
  auditConversationRetentionMs: duration('PARLEY_AUDIT_CONVERSATION_RETENTION', {
    toml: 'audit.conversation_retention',
    default: '30d',
    min: 86_400_000,
    doc: 'How long entries about conversations stay in the audit log, at least.',
  }),
})

export type Config = ReturnType<typeof readConfig>

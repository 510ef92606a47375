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
    doc: 'number of copies of the event stream in a cluster of NATS servers; 3 survive the loss of one server. If not set: a new stream has 1, an existing stream keeps its number',
  }),
  streamMaxBytes: bytes('PARLEY_NATS_STREAM_MAX_BYTES', {
    default: '12 GiB',
    min: 16 * 1024 ** 2,
    doc: 'maximum size of the event stream, beyond which the oldest events are deleted; if it exceeds the storage of the NATS servers (max_file_store), an existing stream keeps its limit, and that of a new one is halved until it fits',
  }),
  auditRetentionMs: duration('PARLEY_AUDIT_RETENTION', {
    toml: 'audit.retention',
    default: '400d',
    min: 86_400_000,
    doc: 'minimum time for which entries about security and administration stay in the audit log',
  }),
  auditConversationRetentionMs: duration('PARLEY_AUDIT_CONVERSATION_RETENTION', {
    toml: 'audit.conversation_retention',
    default: '30d',
    min: 86_400_000,
    doc: 'minimum time for which entries about conversations stay in the audit log',
  }),
})

export type Config = ReturnType<typeof readConfig>

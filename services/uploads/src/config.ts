import {
  assetsFields,
  bool,
  busFields,
  bytes,
  clientNetworkFields,
  cookieFields,
  coreFields,
  databaseFields,
  defineConfig,
  int,
  originFields,
  outboundFields,
  port,
  processFields,
  secret,
  str,
  uploadFields,
  videoFields,
} from '@parley/config'
import { assetStorageFields } from './engines/storage/settings.ts'
import { remoteVideoFields, videoWorkerFields } from './engines/video/settings.ts'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('uploads'),
  ...coreFields(),
  ...cookieFields(),
  ...originFields(),
  ...clientNetworkFields(),
  ...assetsFields(),
  ...assetStorageFields(),
  ...uploadFields(),
  ...videoFields(),
  ...videoWorkerFields(),
  ...remoteVideoFields(),
  ...outboundFields(),
  httpHost: str('PARLEY_UPLOADS_HTTP_HOST', { default: '0.0.0.0', doc: 'address the HTTP port listens on' }),
  httpPort: port('PARLEY_UPLOADS_HTTP_PORT', { default: 8082, doc: 'port of /assets; 0 takes a free one' }),
  blobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET', {
    min: 32,
    doc: 'key that signs the tickets for bytes from the gateway; only these two may have it, at least 32 characters',
  }),
  previousBlobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET_PREVIOUS', {
    min: 32,
    optional: true,
    doc: 'that key before it was rotated: what it signed is still taken',
  }),
  previousAssetsSigningSecret: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET_PREVIOUS', {
    toml: 'core.assets.signing_secret_previous',
    min: 32,
    optional: true,
    doc: 'the secret of addresses before it was rotated: addresses signed with it still open',
  }),
  pendingBytes: bytes('PARLEY_UPLOADS_USER_PENDING', {
    default: '1 GiB',
    doc: 'bytes that one person may have on the way, and in files that no message uses yet; one file always fits',
  }),
  userQuotaBytes: bytes('PARLEY_UPLOADS_USER_QUOTA', {
    optional: true,
    doc: 'bytes that all files of one person may take; any number unless it is set',
  }),
  serverQuotaBytes: bytes('PARLEY_UPLOADS_SERVER_QUOTA', {
    optional: true,
    doc: 'bytes that the files of everybody may take, within half a minute; any number unless it is set',
  }),
  imagesAtOnce: int('PARLEY_UPLOADS_IMAGES_AT_ONCE', {
    optional: true,
    min: 1,
    doc: 'images that one process decodes at the same time, up to 200 MB each; default 2, or 1 if the memory limit is too low',
  }),
  renderingsPerHour: int('PARLEY_UPLOADS_RENDERINGS_PER_HOUR', {
    default: 2_000,
    min: 0,
    doc: 'other sizes of images that one process makes for one person in an hour, and of one public image; 0: no limit',
  }),
  renderingsPerNetwork: int('PARLEY_UPLOADS_RENDERINGS_PER_NETWORK', {
    default: 20_000,
    min: 0,
    doc: 'the same for all who ask from one network, wider networks have a little more; 0: no limit',
  }),
  transformCacheBytes: bytes('PARLEY_UPLOADS_TRANSFORM_CACHE', {
    optional: true,
    doc: 'memory of one process for sizes of images that were asked for lately; unless set 64 MiB, or an eighth of a smaller memory limit',
  }),
  fetchPrivate: bool('PARLEY_UPLOADS_FETCH_PRIVATE', {
    default: false,
    doc: 'whether images are also fetched from addresses that are not public; for tests and closed networks',
  }),
})

export type Config = ReturnType<typeof readConfig>

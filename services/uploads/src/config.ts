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
  httpHost: str('PARLEY_UPLOADS_HTTP_HOST', {
    default: '0.0.0.0',
    doc: 'bind address of the HTTP server of uploads (see PARLEY_UPLOADS_HTTP_PORT)',
  }),
  httpPort: port('PARLEY_UPLOADS_HTTP_PORT', {
    default: 8082,
    doc: 'HTTP port of uploads, which serves /assets; 0: any free port',
  }),
  blobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET', {
    min: 32,
    doc: 'secret for the tickets with which the gateway sends image bytes to uploads; only these two services may have it; at least 32 characters',
  }),
  previousBlobSecret: secret('PARLEY_UPLOADS_BLOB_SECRET_PREVIOUS', {
    min: 32,
    optional: true,
    doc: 'PARLEY_UPLOADS_BLOB_SECRET before its last rotation; tickets signed with it are still accepted',
  }),
  previousAssetsSigningSecret: secret('PARLEY_CORE_ASSETS_SIGNING_SECRET_PREVIOUS', {
    toml: 'core.assets.signing_secret_previous',
    min: 32,
    optional: true,
    doc: 'core.assets.signing_secret before its last rotation; asset URLs signed with it still work',
  }),
  pendingBytes: bytes('PARLEY_UPLOADS_USER_PENDING', {
    default: '1 GiB',
    doc: 'maximum size of the unfinished uploads of one person, together with their files that no message uses yet; one file always fits',
  }),
  userQuotaBytes: bytes('PARLEY_UPLOADS_USER_QUOTA', {
    optional: true,
    doc: 'maximum size of all files of one person; if not set: no limit',
  }),
  serverQuotaBytes: bytes('PARLEY_UPLOADS_SERVER_QUOTA', {
    optional: true,
    doc: 'maximum size of all files of this server, enforced with up to half a minute of delay; if not set: no limit',
  }),
  imagesAtOnce: int('PARLEY_UPLOADS_IMAGES_AT_ONCE', {
    optional: true,
    min: 1,
    doc: 'number of images that one process decodes concurrently, with up to 200 MB of memory each; default: 2, or 1 if the memory limit is too low',
  }),
  renderingsPerHour: int('PARLEY_UPLOADS_RENDERINGS_PER_HOUR', {
    default: 2_000,
    min: 0,
    doc: 'maximum number of image sizes that one process generates per hour for one person, and also for one public image; 0: no limit',
  }),
  renderingsPerNetwork: int('PARLEY_UPLOADS_RENDERINGS_PER_NETWORK', {
    default: 20_000,
    min: 0,
    doc: 'maximum number of image sizes that one process generates per hour for all clients of one network, which is an IPv4 address or IPv6 /64; a multiple of it for the wider networks that contain it; 0: no limit',
  }),
  transformCacheBytes: bytes('PARLEY_UPLOADS_TRANSFORM_CACHE', {
    optional: true,
    doc: 'memory in which one process caches generated image sizes; default: 64 MiB, or an eighth of the memory limit if that is less',
  }),
  fetchPrivate: bool('PARLEY_UPLOADS_FETCH_PRIVATE', {
    default: false,
    doc: 'whether images and pages for link previews may also be fetched from private addresses; for tests and closed networks',
  }),
})

export type Config = ReturnType<typeof readConfig>

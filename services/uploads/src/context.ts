import type { Db } from '@parley/postgres'
import type { SafeFetch } from './fetch/safe-fetch.ts'
import type { Studio } from './images/studio.ts'
import type { TransformCache } from './images/transform-cache.ts'
import type { Storage } from './storage/storage.ts'

export type Context = {
  db: Db
  storage: Storage
  studio: Studio
  transforms: TransformCache
  fetchImage: SafeFetch
  /** Keys that gateway and uploads share: the present one, and the one before. */
  blobSecrets: readonly string[]
  /** Secrets under which addresses of images may be signed. */
  signingSecrets: readonly string[]
  maxUploadBytes: number
  now: () => Date
}

import type { CallerCache, CredentialSecrets } from '@parley/credentials'
import type { Policy } from '@parley/permissions'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { CredentialAttempts } from '@parley/redis'
import type { ClientAddress } from '@parley/runtime'
import type { FileReferences } from './clients/file-references.ts'
import type { RoomAccess } from './clients/room-access.ts'
import type { Quotas } from './domain/quotas.ts'
import type { FileLimits } from './domain/upload-draft.ts'
import type { SafeFetch } from './engines/fetch/index.ts'
import type { UploadCompletions } from './actions/files/upload-completions.ts'
import type { RenderingLimit, ImageProcessor, TransformCache } from './engines/images/index.ts'
import type { PageFetches } from './actions/previews/page-fetches.ts'
import type { Storage } from './engines/storage/index.ts'

export type Context = {
  db: Db
  relay: Pick<Relay, 'wake'>
  policy: () => Policy
  rooms: RoomAccess
  fileReferences: FileReferences
  storage: Storage
  imageProcessor: ImageProcessor
  transforms: TransformCache
  renderingLimit: RenderingLimit
  fetch: SafeFetch
  pages: PageFetches
  callers: CallerCache
  credentialSecrets: CredentialSecrets
  clientAddress: ClientAddress
  credentialAttempts: CredentialAttempts
  allowedOrigins: readonly string[]
  /** Shared with the gateway: the current secret and the previous one. */
  blobSecrets: readonly string[]
  /** Asset URLs may be signed with the current secret or the previous one. */
  signingSecrets: readonly string[]
  assets: { publicUrl: string; signingSecret: string }
  fileLimits: FileLimits
  quotas: Quotas
  /** In bytes. */
  serverUsage: () => Promise<number>
  completions: UploadCompletions
  now: () => Date
}

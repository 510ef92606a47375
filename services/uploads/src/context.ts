import type { CallerCache, CredentialSecrets } from '@parley/credentials'
import type { Policy } from '@parley/permissions'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { CredentialAttempts } from '@parley/redis'
import type { ClientAddress } from '@parley/runtime'
import type { FileOwners } from './clients/file-owners.ts'
import type { RoomAccess } from './clients/room-access.ts'
import type { Quotas } from './domain/quotas.ts'
import type { FileLimits } from './domain/upload-draft.ts'
import type { SafeFetch } from './engines/fetch/index.ts'
import type { UploadCompletions } from './actions/files/upload-completions.ts'
import type { Renderings, ImageProcessor, TransformCache } from './engines/images/index.ts'
import type { PageFetches } from './actions/previews/page-fetches.ts'
import type { Storage } from './engines/storage/index.ts'

export type Context = {
  db: Db
  relay: Pick<Relay, 'wake'>
  policy: () => Policy
  rooms: RoomAccess
  owners: FileOwners
  storage: Storage
  imageProcessor: ImageProcessor
  transforms: TransformCache
  /** Cache of recently generated image sizes. */
  renderings: Renderings
  fetch: SafeFetch
  /** Fetches pages; concurrent requests for a page share one fetch. */
  pages: PageFetches
  /** Resolves credentials of readers without a ticket. */
  callers: CallerCache
  credentialSecrets: CredentialSecrets
  clientAddress: ClientAddress
  /** Counts requests without a valid credential or ticket, by network, in this process only. */
  trials: CredentialAttempts
  /** Origins whose pages may read files. */
  allowedOrigins: readonly string[]
  /** Keys shared by gateway and uploads: the current one and the previous one. */
  blobSecrets: readonly string[]
  /** Secrets with which addresses of images may be signed. */
  signingSecrets: readonly string[]
  /** Inputs of file addresses. */
  assets: { publicUrl: string; signingSecret: string }
  fileLimits: FileLimits
  quotas: Quotas
  /** Total size of all files, recently measured. */
  serverUsage: () => Promise<number>
  /** Assembles files. */
  completions: UploadCompletions
  now: () => Date
}

import type { Policy } from '@parley/permissions'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { FairSemaphore } from '@parley/runtime'
import type pg from 'pg'
import type { ClaimAssets } from './clients/assets.ts'
import type { Handles } from './clients/handles.ts'
import type { PreviewLink } from './clients/previews.ts'
import type { Profiles } from './clients/profiles.ts'
import type { NotifyTyping } from './clients/typing.ts'
import type { RoomHeaderCache } from './actions/room-log/room-header-cache.ts'
import type { RoomWriter } from './actions/room-log/room-writer.ts'

export type Context = {
  db: Db
  pool: pg.Pool
  /** Limits concurrent page reads, per user and in total, so that writes find a free connection. */
  reads: FairSemaphore
  relay: Pick<Relay, 'wake' | 'waitUntilStored'>
  headers: RoomHeaderCache
  writer: RoomWriter
  profiles: Profiles
  handles: Handles
  claimAssets: ClaimAssets
  previewLink: PreviewLink
  notifyTyping: NotifyTyping
  policy: () => Policy
  assets: { publicUrl: string; signingSecret: string }
  now: () => Date
  editWindowMs: number
}

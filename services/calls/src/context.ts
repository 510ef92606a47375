import type { Db } from '@parley/postgres'
import type { Profiles } from './clients/profiles.ts'
import type { RoomAccess } from './clients/room-access.ts'
import type { Media } from './engines/livekit/index.ts'

export type { Media }

export type Context = {
  db: Db
  rooms: RoomAccess
  profiles: Profiles
  /** Undefined when calls are not configured. */
  media: Media | undefined
  now: () => Date
}

import type { LivekitSettings } from '@parley/config'
import type { Db } from '@parley/postgres'
import type { Profiles } from './clients/profiles.ts'
import type { RoomAccess } from './clients/room-access.ts'
import type { MediaServer } from './engines/livekit/media-server.ts'

/** The media server, where there is one. */
export type Media = { settings: LivekitSettings; server: MediaServer }

export type Context = {
  db: Db
  rooms: RoomAccess
  profiles: Profiles
  /** Undefined when calls are not configured. */
  media: Media | undefined
  now: () => Date
}

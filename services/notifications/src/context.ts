import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { RoomAccess } from './clients/rooms.ts'

export type Context = {
  db: Db
  relay: Pick<Relay, 'wake'>
  rooms: RoomAccess
  now: () => Date
}

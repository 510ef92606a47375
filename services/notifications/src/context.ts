import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Audiences } from './clients/audiences.ts'
import type { RoomAccess } from './clients/rooms.ts'
import type { Surroundings } from './domain/surroundings.ts'
import type { Push } from './push/push.ts'

export type Context = {
  db: Db
  relay: Pick<Relay, 'wake'>
  rooms: RoomAccess
  audiences: Audiences
  askSurroundings: (userIds: readonly string[], roomIds: readonly string[]) => Promise<Surroundings>
  push: Push
  now: () => Date
}

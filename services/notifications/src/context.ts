import type { User } from '@parley/contracts/api'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Audiences } from './clients/audiences.ts'
import type { SmallRooms } from './clients/small-rooms.ts'
import type { ChosenLevel } from './clients/apply-level.ts'
import type { RoomAccess } from './clients/rooms.ts'
import type { Push } from './engines/push/index.ts'

export type Context = {
  db: Db
  relay: Pick<Relay, 'wake'>
  rooms: RoomAccess
  audiences: Audiences
  smallRooms: Pick<SmallRooms, 'listMembers'>
  /** Sends a chosen level to messaging. Returns the version that messaging holds if it holds another choice. */
  applyLevel: (chosen: ChosenLevel) => Promise<bigint | undefined>
  fetchPeople: (userIds: readonly string[]) => Promise<ReadonlyMap<string, User>>
  isCredentialValid: (credentialId: string) => Promise<boolean>
  push: Push
  now: () => Date
}

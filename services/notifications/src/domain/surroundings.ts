import type { User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'

/** What a list shows beside the notifications: rooms that may be read, and people as far as they are known. */
export type Surroundings = { users: ReadonlyMap<string, User>; rooms: ReadonlyMap<string, RoomHeader> }

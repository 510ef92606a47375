import type { User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'

/** What a list shows beside the notifications: hints, without which it is worth more than none. */
export type Surroundings = { users: ReadonlyMap<string, User>; rooms: ReadonlyMap<string, RoomHeader> }

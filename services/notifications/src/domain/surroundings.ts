import type { User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'

/** Data shown beside notifications: readable rooms, and known people. */
export type Surroundings = { users: ReadonlyMap<string, User>; rooms: ReadonlyMap<string, RoomHeader> }

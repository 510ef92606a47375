import type { User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'

/** People, and rooms that the caller may read, by id. */
export type DisplayData = { users: ReadonlyMap<string, User>; rooms: ReadonlyMap<string, RoomHeader> }

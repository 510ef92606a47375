import type { User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'

export type DisplayData = { users: ReadonlyMap<string, User>; rooms: ReadonlyMap<string, RoomHeader> }

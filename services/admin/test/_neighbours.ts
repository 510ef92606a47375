import { Code, ConnectError } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { ErasureReports, serveFakes } from '@parley/testkit'
import type { TestAdmin } from './_admin.ts'

type FakePerson = { id: string; roleIds?: string[]; deleted?: boolean }
type FakeRoom = {
  roomId: string
  name: string
  groupId: string
  kind?: RoomKind
  archived?: boolean
  members?: string[]
}

/** State of the stand-ins for accounts and rooms; a test can change it at any time. */
export type Neighbours = {
  people: FakePerson[]
  groups: { groupId: string; name: string }[]
  /** Groups in sidebar order. */
  rooms: FakeRoom[]
  /** Logins and names of roles, with their owners. */
  handles: Map<string, string>
  away: Set<'accounts' | 'rooms'>
  /** Admin's reports about deleted people to accounts. */
  erasures: ErasureReports
  /** Delays the response to ReserveRoleName. */
  reserving: Promise<void>
}

/** Stand-ins for accounts and rooms over the bus of a test. */
export async function fakeNeighbours({ bus }: Pick<TestAdmin, 'bus'>): Promise<Neighbours & AsyncDisposable> {
  const neighbours: Neighbours = {
    people: [],
    groups: [],
    rooms: [],
    handles: new Map(),
    away: new Set(),
    erasures: new ErasureReports(),
    reserving: Promise.resolve(),
  }
  const beThere = (service: 'accounts' | 'rooms') => {
    if (neighbours.away.has(service)) throw new ConnectError('away', Code.Unavailable)
  }
  const leaf = await serveFakes(bus, (routes) => {
    routes.service(AccountsInternalService, {
      getProfiles({ userIds }) {
        beThere('accounts')
        const known = neighbours.people.filter(({ id }) => userIds.includes(id))
        return {
          profiles: known.map(({ id, roleIds = [], deleted = false }) => ({ user: { id, deleted }, roleIds })),
        }
      },
      reportErased: neighbours.erasures.reportErased,
      listRoleHolders({ roleId }) {
        beThere('accounts')
        const holders = neighbours.people.filter(({ roleIds = [] }) => roleIds.includes(roleId))
        return { users: holders.map(({ id }) => ({ id })) }
      },
      async reserveRoleName({ name, roleId }) {
        beThere('accounts')
        await neighbours.reserving
        const owner = neighbours.handles.get(name) ?? roleId
        if (owner !== roleId) throw new ConnectError('taken', Code.AlreadyExists)
        neighbours.handles.set(name, roleId)
        return {}
      },
      releaseRoleName({ roleId }) {
        beThere('accounts')
        for (const [name, owner] of neighbours.handles) if (owner === roleId) neighbours.handles.delete(name)
        return {}
      },
    })
    routes.service(RoomsInternalService, {
      getRooms({ roomIds }) {
        beThere('rooms')
        const found = neighbours.rooms.filter(({ roomId }) => roomIds.includes(roomId))
        return { rooms: found.map((room) => ({ kind: RoomKind.CHANNEL, ...room })) }
      },
      getRoomAccess({ userId, roomId }) {
        beThere('rooms')
        const room = neighbours.rooms.find((one) => one.roomId === roomId)
        if (!room || (room.kind === RoomKind.DM && !room.members?.includes(userId))) return { exists: false }
        return { exists: true, room: { kind: RoomKind.CHANNEL, ...room } }
      },
      getGroups({ groupIds }) {
        beThere('rooms')
        return { groups: neighbours.groups.filter(({ groupId }) => groupIds.includes(groupId)) }
      },
      listLayout() {
        beThere('rooms')
        return {
          groups: neighbours.groups.map((group) => ({
            ...group,
            channels: neighbours.rooms.filter(({ groupId, archived }) => groupId === group.groupId && !archived),
          })),
        }
      },
    })
  })
  return Object.assign(neighbours, { [Symbol.asyncDispose]: () => leaf[Symbol.asyncDispose]() })
}

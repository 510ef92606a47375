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

/** A test can change these fields at any time. */
export type FakeServices = {
  people: FakePerson[]
  /** In the order of the sidebar. */
  groups: { groupId: string; name: string }[]
  rooms: FakeRoom[]
  /** The id of the user or role that has a login or role name, by that name. */
  handles: Map<string, string>
  unavailable: Set<'accounts' | 'rooms'>
  erasures: ErasureReports
  /** ReserveRoleName is answered once this resolves. */
  reserving: Promise<void>
}

export async function startFakeServices({ bus }: Pick<TestAdmin, 'bus'>): Promise<FakeServices & AsyncDisposable> {
  const fakes: FakeServices = {
    people: [],
    groups: [],
    rooms: [],
    handles: new Map(),
    unavailable: new Set(),
    erasures: new ErasureReports(),
    reserving: Promise.resolve(),
  }
  const assertAvailable = (service: 'accounts' | 'rooms') => {
    if (fakes.unavailable.has(service)) throw new ConnectError('unavailable', Code.Unavailable)
  }
  const server = await serveFakes(bus, (routes) => {
    routes.service(AccountsInternalService, {
      getProfiles({ userIds }) {
        assertAvailable('accounts')
        const known = fakes.people.filter(({ id }) => userIds.includes(id))
        return {
          profiles: known.map(({ id, roleIds = [], deleted = false }) => ({ user: { id, deleted }, roleIds })),
        }
      },
      reportErased: fakes.erasures.reportErased,
      listRoleHolders({ roleId }) {
        assertAvailable('accounts')
        const holders = fakes.people.filter(({ roleIds = [] }) => roleIds.includes(roleId))
        return { users: holders.map(({ id }) => ({ id })) }
      },
      async reserveRoleName({ name, roleId }) {
        assertAvailable('accounts')
        await fakes.reserving
        const owner = fakes.handles.get(name) ?? roleId
        if (owner !== roleId) throw new ConnectError('taken', Code.AlreadyExists)
        fakes.handles.set(name, roleId)
        return {}
      },
      releaseRoleName({ roleId }) {
        assertAvailable('accounts')
        for (const [name, owner] of fakes.handles) if (owner === roleId) fakes.handles.delete(name)
        return {}
      },
    })
    routes.service(RoomsInternalService, {
      getRooms({ roomIds }) {
        assertAvailable('rooms')
        const found = fakes.rooms.filter(({ roomId }) => roomIds.includes(roomId))
        return { rooms: found.map((room) => ({ kind: RoomKind.CHANNEL, ...room })) }
      },
      getRoomAccess({ userId, roomId }) {
        assertAvailable('rooms')
        const room = fakes.rooms.find((one) => one.roomId === roomId)
        if (!room || (room.kind === RoomKind.DM && !room.members?.includes(userId))) return { exists: false }
        return { exists: true, room: { kind: RoomKind.CHANNEL, ...room } }
      },
      getGroups({ groupIds }) {
        assertAvailable('rooms')
        return { groups: fakes.groups.filter(({ groupId }) => groupIds.includes(groupId)) }
      },
      listLayout() {
        assertAvailable('rooms')
        return {
          groups: fakes.groups.map((group) => ({
            ...group,
            channels: fakes.rooms.filter(({ groupId, archived }) => groupId === group.groupId && !archived),
          })),
        }
      },
    })
  })
  return Object.assign(fakes, { [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() })
}

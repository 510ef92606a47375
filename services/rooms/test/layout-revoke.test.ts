import { beforeAll, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { AdminRoomLayoutItemKind } from '@parley/contracts/admin'
import { eventually, publishEvents } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { decisionFor } from './_seeds.ts'
import { codeOf, lobbyOf, useEnv } from './_env.ts'

const env = useEnv()

beforeAll(async () => {
  await env.start()
  await lobbyOf(env)
})

test('a waiting change is refused if its caller loses the permission', async () => {
  const admin = env.as('Uadmin', 'admin')
  const newGroup = async () => (await admin.layout.createRoomGroup({ name: 'A group' })).group?.id ?? ''
  const newRoom = async (name: string) => (await admin.rooms.createRoom({ name, groupId })).room?.id ?? ''
  const [groupId, emptyGroupId] = [await newGroup(), await newGroup()]
  const [one, other] = [await newRoom('one'), await newRoom('other')]
  const reordered = [other, one].map((id) => ({ kind: AdminRoomLayoutItemKind.ROOM, id }))
  const groupIds = (await admin.layout.listRoomGroups({})).groups.map(({ id }) => id)
  const { layout, rooms } = env.as('Urevoked', 'admin')

  const revoke = async () => {
    const permissions = ['role.manage', 'room.manage', 'room.create']
    const decisions = permissions.map((permission) => decisionFor({ userId: 'Urevoked', permission, deny: true }))
    const { policy } = env.admin
    const revision = policy.revision + 1n
    await publishEvents(env.bus, {
      ...{ aggregateType: 'policy', aggregateId: 'server', kind: 'policy_changed', version: revision },
      fact: { case: 'policy', value: { revision, baseRevision: policy.revision, decisions } },
    })
    policy.decisions.push(...decisions)
    policy.revision = revision
    await eventually(async () => (await codeOf(layout.listRoomGroups({}))) === Code.PermissionDenied)
  }
  const changes = [
    () => layout.createRoomGroup({ name: 'Another' }),
    () => layout.updateRoomGroup({ groupId, name: 'Another' }),
    () => layout.deleteRoomGroup({ groupId: emptyGroupId }),
    () => layout.reorderRoomGroups({ orderedGroupIds: groupIds.toReversed() }),
    () => layout.createSidebarLink({ groupId, label: 'Another', url: '/' }),
    () => layout.reorderSidebarItemsInGroup({ groupId, items: reordered }),
    () => rooms.createRoom({ name: 'another', groupId }),
  ]
  const first = () => layout.updateRoomGroup({ groupId, name: 'First' })
  const outcomes = await env.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid from layout for update`)
    const waiting = [first, ...changes].map((change) => codeOf(change()))
    await eventually(async () => {
      const blocked = sql`select from pg_stat_activity where ${rows[0]?.pid}::integer = any (pg_blocking_pids(pid))`
      return ((await tx.execute(blocked)).rowCount ?? 0) > 0
    })
    await revoke()
    return waiting
  })
  expect((await Promise.all(outcomes)).slice(1)).toEqual(changes.map(() => Code.PermissionDenied))
})

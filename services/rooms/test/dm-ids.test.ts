import { beforeAll, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { unkeyedDmRoomId } from '@parley/ids'
import { newDm } from '../src/domain/new-room.ts'
import { dmRow, insertRoom } from '../src/store/new-rooms.ts'
import { codeOf, useEnv, person } from './_env.ts'

const env = useEnv()
beforeAll(async () => {
  env.accounts.people = ['Uann', 'Ubob', 'Ucarol', 'Udave', 'Uerin'].map((userId) => person(userId))
  await env.start()
})

const start = async (caller: string, ...participantIds: string[]): Promise<string> =>
  (await env.as(caller).rooms.startDM({ participantIds })).room?.id ?? ''

test('the id of a direct message cannot be computed from its participants alone, and is the same in each process', async () => {
  const id = await start('Uann', 'Ubob')
  expect(id).not.toBe(unkeyedDmRoomId(['Uann', 'Ubob']))
  await env.start()
  const both = await Promise.all([start('Ubob', 'Uann'), start('Uann', 'Ubob'), start('Ubob', 'Uann')])
  expect(new Set(both)).toEqual(new Set([id]))
})

test('a direct message whose id was computed without the key keeps its id', async () => {
  const people = ['Ucarol', 'Udave']
  const old = newDm(unkeyedDmRoomId(people), people, { actorId: 'Ucarol', at: new Date() })
  await env.db.transaction((tx) => insertRoom(tx, dmRow(old), old))
  expect(await start('Udave', 'Ucarol')).toBe(old.head.id)
})

test('participants cannot leave a direct message, archive it or add people to it; others do not find it', async () => {
  const roomId = await start('Uann', 'Uerin')
  const other = env.as('Uadmin', 'admin')
  const tries = [
    other.directory.getRoom({ roomId }),
    other.rooms.joinRoom({ roomId }),
    other.rooms.leaveRoom({ roomId }),
    other.rooms.updateRoom({ roomId, name: 'ours' }),
    other.rooms.addMember({ roomId, userId: 'Uann' }),
    other.rooms.addMember({ roomId, userId: 'Uadmin' }),
    other.rooms.banMember({ roomId, userId: 'Uann', reason: 'noise' }),
  ]
  expect(await Promise.all(tries.map(codeOf))).toEqual(tries.map(() => Code.NotFound))
  const own = env.as('Uann', 'owner').rooms
  const refused = [own.leaveRoom({ roomId }), own.archiveRoom({ roomId }), own.addMember({ roomId, userId: 'Ubob' })]
  expect(await Promise.all(refused.map(codeOf))).toEqual([
    Code.FailedPrecondition,
    Code.InvalidArgument,
    Code.InvalidArgument,
  ])
})

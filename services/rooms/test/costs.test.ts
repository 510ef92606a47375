import { beforeAll, expect, test } from '@jest/globals'
import { countCosts, type CostCounter } from '@parley/testkit'
import { makeRoom, useEnv, person } from './_env.ts'

const env = useEnv()
let costs: CostCounter
beforeAll(async () => {
  costs = env.use(await countCosts(env.bus))
  env.accounts.people.push(person('Uann'), person('Ubob'))
  await env.start()
  for (const name of ['hall', 'tea']) await env.as('Uann').rooms.joinRoom({ roomId: await makeRoom(env, name) })
  await env.as('Uann').rooms.startDM({ participantIds: ['Ubob'] })
})

test('ListRooms runs one statement, and calls messaging and accounts once each', async () => {
  const list = () => env.as('Uann').directory.listRooms({})
  await list()
  expect(await costs.of(list)).toEqual({
    statements: ['active_channels_and_dms'],
    requests: ['MessagingInternalService.RoomStates', 'AccountsInternalService.GetProfiles'],
  })
})

test('opening sockets runs as many statements for several people as for one', async () => {
  const costsOf = (...userIds: string[]) => costs.of(() => env.internal.openSockets({ userIds }))
  const expected = {
    statements: ['standings_of_users'],
    requests: [],
  }
  expect(await costsOf('Uann')).toEqual(expected)
  expect(await costsOf('Uann', 'Ubob')).toEqual(expected)
})

test('ListAccessibleRooms runs one statement', async () => {
  const { rooms } = await env.as('Uann').directory.listRooms({})
  const roomIds = rooms.map(({ room }) => room?.id ?? '')
  expect(await costs.of(() => env.internal.listAccessibleRooms({ userId: 'Uann', roomIds }))).toEqual({
    statements: ['rooms_of_person'],
    requests: [],
  })
})

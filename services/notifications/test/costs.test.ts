import { beforeAll, expect, test } from '@jest/globals'
import { countCosts, eventually, type CostCounter } from '@parley/testkit'
import { useFleet } from './_fleet.ts'
import { RoomPublisher } from './_room-publisher.ts'

const fleet = useFleet()
let costs: CostCounter
const list = () => fleet.as('Ubob').notifications.listNotifications({})
beforeAll(async () => {
  costs = fleet.use(await countCosts(fleet.bus))
  await fleet.start()
  for (const roomId of ['R1', 'R2']) {
    fleet.fakes.room(roomId, ['Uann', 'Ubob'])
    const publisher = new RoomPublisher(fleet.bus, roomId)
    for (let n = 0; n < 2; n++) await publisher.post('Uann', { mentions: { userIds: ['Ubob'] } })
  }
  await eventually(async () => expect((await list()).page?.totalCount).toBe(4n))
})

test('ListNotifications runs one statement, and calls rooms and accounts once each', async () => {
  expect(await costs.of(list)).toEqual({
    statements: ['select: notifications'],
    requests: ['RoomsInternalService.ListAccessibleRooms', 'AccountsInternalService.GetProfiles'],
  })
})

test('GetPreferences runs one statement', async () => {
  expect(await costs.of(() => fleet.internal.getPreferences({ userId: 'Ubob' }))).toEqual({
    statements: ['notification_levels_of_user'],
    requests: [],
  })
})

import { expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { openPushFleet } from './_push-fleet.ts'
import { publish, RoomPublisher } from './_room-publisher.ts'

test('a push and its dismissal are sent without waiting for the next poll of the queue', async () => {
  await using push = await openPushFleet()
  await push.start({ pollMs: 3_600_000 })
  await push.subscribe('Ubob', 'phone')
  push.fleet.fakes.room('R1', ['Uann', 'Ubob'])
  const publisher = new RoomPublisher(push.fleet.bus, 'R1')
  for (const times of [1, 3]) {
    publisher.isHolding = true
    const eventId = await publisher.post('Uann', { mentions: { userIds: ['Ubob'] } })
    push.fleet.fakes.previews.set(eventId, { text: 'hello' })
    publisher.isHolding = false
    for (const event of publisher.created.slice(-1)) await publish(push.fleet.bus, event)
    await eventually(() => expect(push.service.receivedBy('phone')).toHaveLength(times))
    await publisher.read('Ubob')
    await eventually(() => expect(push.service.receivedBy('phone')).toHaveLength(times + 1))
  }
})

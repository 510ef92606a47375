import { expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { openPushFleet } from './_push-fleet.ts'
import { publish, Story } from './_story.ts'

test('a push and its dismissal are sent at once, without waiting for the next poll of the queue', async () => {
  await using push = await openPushFleet()
  await push.start({ pollMs: 3_600_000 })
  await push.subscribe('Ubob', 'phone')
  push.fleet.neighbours.room('R1', ['Uann', 'Ubob'])
  const story = new Story(push.fleet.bus, 'R1')
  for (const times of [1, 3]) {
    story.held = true
    const eventId = await story.post('Uann', { mentions: { userIds: ['Ubob'] } })
    push.fleet.neighbours.previews.set(eventId, { text: 'hello' })
    story.held = false
    for (const event of story.published.slice(-1)) await publish(push.fleet.bus, event)
    await eventually(() => expect(push.service.by('phone')).toHaveLength(times))
    await story.read('Ubob')
    await eventually(() => expect(push.service.by('phone')).toHaveLength(times + 1))
  }
})

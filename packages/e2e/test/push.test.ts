import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PushNotificationService, RoomService } from '@parley/contracts/api'
import { eventually, PushService } from '@parley/testkit'
import { newPerson, type Person } from '../src/people.ts'
import { post } from '../src/rooms.ts'

const { subscribe, unsubscribe } = PushNotificationService.method

let pushService: PushService
let ada: Person
let bob: Person
let roomId: string

beforeAll(async () => {
  pushService = await PushService.start()
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  const { room } = await ada.call(RoomService.method.startDM, { participantIds: [bob.userId] })
  roomId = room?.id ?? ''
})
afterAll(() => pushService[Symbol.asyncDispose]())

async function pushesTo(browser: string, times: number) {
  await eventually(() => expect(pushService.receivedBy(browser)).toHaveLength(times))
  return pushService.receivedBy(browser).map(({ payload: { action = 'show', tag, body } }) => ({ action, tag, body }))
}

test('a direct message is pushed to subscribed browsers, and dismissed there when its room is marked as read', async () => {
  const [phone, laptop] = [pushService.subscribe('phone'), pushService.subscribe('laptop')]
  for (const browser of [phone, laptop]) await bob.call(subscribe, browser)

  const first = await post(ada, roomId, 'lunch?')
  const shown = { action: 'show', tag: `dm-${first}`, body: 'lunch?' }
  for (const browser of ['phone', 'laptop']) expect(await pushesTo(browser, 1)).toEqual([shown])
  const [push] = pushService.receivedBy('phone')
  expect(push?.vapid.isSigned).toBe(true)
  expect(push?.payload['title']).toBe(ada.login)

  await bob.call(RoomService.method.markRoomAsRead, { roomId })
  const dismissed = { action: 'dismiss', tag: `dm-${first}` }
  for (const browser of ['phone', 'laptop']) expect(await pushesTo(browser, 2)).toEqual([shown, dismissed])

  await bob.call(unsubscribe, { endpoint: phone.endpoint })
  const second = await post(ada, roomId, 'or dinner?')
  const after = [shown, dismissed, { action: 'show', tag: `dm-${second}`, body: 'or dinner?' }]
  expect(await pushesTo('laptop', 3)).toEqual(after)

  // Marking as read causes only the dismissal: the next push is about the next message.
  await bob.call(RoomService.method.markRoomAsRead, { roomId })
  const afterRead = [...after, { action: 'dismiss', tag: `dm-${second}` }]
  expect(await pushesTo('laptop', 4)).toEqual(afterRead)
  const third = await post(ada, roomId, 'tomorrow')
  expect(await pushesTo('laptop', 5)).toEqual([...afterRead, { action: 'show', tag: `dm-${third}`, body: 'tomorrow' }])
  expect(await pushesTo('phone', 2)).toEqual([shown, dismissed])
})

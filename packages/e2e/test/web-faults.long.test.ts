import { afterEach, expect } from '@jest/globals'
import { MessageService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Page, Route } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { restartProcess, waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('faults', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})
afterEach(waitUntilHealthy)

const connectionNotice = (page: Page) => page.getByText(/^Not connected/)
const postAsBob = (body: string) => post(bob, roomId, body, { base: fleet().gateways[1] })

inBrowser('messages written without network are queued, and none is missing afterwards', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await postAsBob('Before the tunnel')
  await messageWith(page, 'Before the tunnel').waitFor()
  await page.context().setOffline(true)
  await connectionNotice(page).waitFor()
  await say(page, 'Out of the tunnel')
  await page.getByText('Out of the tunnel').waitFor()
  await postAsBob('Into the tunnel')
  await messageWith(page, 'Before the tunnel').waitFor()
  await page.context().setOffline(false)
  await messageWith(page, 'Into the tunnel').waitFor()
  await connectionNotice(page).waitFor({ state: 'detached' })
  await using other = await visitAs(bob, `/chat/-/${roomId}`)
  await messageWith(other.page, 'Out of the tunnel').waitFor()
})

inBrowser('messages posted before a slow realtime connection opens are shown when it is open', async () => {
  await using visitor = await visitAs(ada)
  const { page } = visitor
  const { promise: mayOpen, resolve: letOpen } = Promise.withResolvers<void>()
  await page.routeWebSocket(/./, async (socket) => {
    await mayOpen
    socket.connectToServer()
  })
  await postAsBob('Before it was read')
  await page.goto(`${fleet().gateways[0]}/chat/-/${roomId}`)
  await messageWith(page, 'Before it was read').waitFor()
  await postAsBob('After it was read')
  letOpen()
  await messageWith(page, 'After it was read').waitFor()
})

inBrowser('a failed request for an edited message is repeated', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const eventId = await postAsBob('As it was written')
  await messageWith(page, 'As it was written').waitFor()
  let refused = 0
  const refuse = (route: Route) => {
    refused++
    return route.fulfill({ status: 500 })
  }
  await page.route('**/BatchGetMessages', refuse)
  await bob.call(MessageService.method.updateMessage, { roomId, eventId, body: 'As it was changed' })
  await eventually(() => refused > 0)
  await page.unroute('**/BatchGetMessages', refuse)
  await messageWith(page, 'As it was changed').waitFor()
})

inBrowser('a message that could not be loaded is requested again and not shown as deleted', async () => {
  const far = await post(bob, roomId, 'Looked for')
  for (let n = 0; n < 60; n++) await post(bob, roomId, `Behind it, ${n}`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await messageWith(page, 'Behind it, 59').waitFor()
  let refused = 0
  const refuse = (route: Route) => {
    refused++
    return route.fulfill({ status: 500 })
  }
  await page.route('**/GetRoomEventsAround', refuse)
  await page.goto(new URL(`/chat/-/${roomId}?highlight=${far}`, page.url()).href)
  await eventually(() => refused > 0)
  await page.unroute('**/GetRoomEventsAround', refuse)
  await messageWith(page, 'Looked for').waitFor()
  expect(await page.getByText('This message no longer exists').count()).toBe(0)
})

inBrowser('an open room shows all messages while realtime nodes are replaced one after another', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await postAsBob('With old nodes')
  await messageWith(page, 'With old nodes').waitFor()
  for (const [index, signal] of [
    [0, 'SIGTERM'],
    [1, 'SIGKILL'],
  ] as const) {
    const restarting = restartProcess('realtime', index, signal)
    await postAsBob(`While node ${index} went`)
    await restarting
    await postAsBob(`When node ${index} was back`)
    for (const body of [`While node ${index} went`, `When node ${index} was back`])
      await messageWith(page, body).waitFor({ timeout: 60_000 })
  }
})

inBrowser('messages that are written and posted while a gateway is killed arrive when it is back', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await postAsBob('With the old gateway')
  await messageWith(page, 'With the old gateway').waitFor()
  const restarting = restartProcess('gateway', 0, 'SIGKILL')
  await connectionNotice(page).waitFor()
  await say(page, 'Written to nobody')
  await postAsBob('Read by nobody')
  await restarting
  await messageWith(page, 'Read by nobody').waitFor({ timeout: 60_000 })
  await using other = await visitAs(bob, `/chat/-/${roomId}`)
  await messageWith(other.page, 'Written to nobody').waitFor({ timeout: 60_000 })
})

import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person

useBrowser('calls', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
})

function callsOf(page: Page): (method: string) => number {
  const made: string[] = []
  page.on('request', (request) => made.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''))
  return (method) => made.filter((one) => one === method).length
}

const inSidebar = (page: Page, roomId: string) =>
  page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${roomId}"]`)

inBrowser('a room that is not shown is fetched only when it is opened, and then once', async () => {
  const [before, here] = [await newRoom(owner, [ada]), await newRoom(owner, [ada])]
  const first = await post(owner, before, 'Said at first')
  await post(owner, here, 'Said here')
  await using visitor = await visitAs(ada, `/chat/-/${before}`)
  const { page } = visitor
  await messageWith(page, 'Said at first').waitFor()
  await inSidebar(page, here).click()
  await messageWith(page, 'Said here').waitFor()

  const countOf = callsOf(page)
  await owner.call(MessageService.method.addReaction, { roomId: before, messageEventId: first, emoji: 'tada' })
  for (let n = 0; n < 5; n++) await post(owner, before, `Said there ${n}`)
  await post(owner, here, 'And here again')
  await messageWith(page, 'And here again').waitFor()
  expect([countOf('GetRoomEvents'), countOf('BatchGetMessages'), countOf('BatchGetRooms')]).toEqual([1, 0, 0])

  await inSidebar(page, before).click()
  await messageWith(page, 'Said there 4').waitFor()
  await messageWith(page, 'Said at first').getByRole('button', { name: ':tada:' }).waitFor()
  expect([countOf('GetRoomEvents'), countOf('BatchGetMessages')]).toEqual([2, 1])
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('when one tab marks a room as read, another tab does not request that room', async () => {
  const [shownRoom, other] = [await newRoom(owner, [ada]), await newRoom(owner, [ada])]
  await post(owner, shownRoom, 'Said at first')
  await post(owner, other, 'Said elsewhere')
  await using visitor = await visitAs(ada, `/chat/-/${shownRoom}`)
  const { page } = visitor
  await messageWith(page, 'Said at first').waitFor()
  const second = await page.context().newPage()
  await second.goto(new URL(`/chat/-/${other}`, page.url()).href)
  await messageWith(second, 'Said elsewhere').waitFor()
  await page.bringToFront()

  const countOf = callsOf(second)
  for (let n = 0; n < 3; n++) {
    const marked = page.waitForResponse('**/MarkRoomAsRead')
    await post(owner, shownRoom, `Read in the first tab ${n}`)
    await messageWith(page, `Read in the first tab ${n}`).waitFor()
    await marked
  }
  await owner.call(RoomService.method.updateRoom, { roomId: other, description: 'Changed meanwhile' })
  await second.getByText('Changed meanwhile').waitFor()
  expect(countOf('BatchGetRooms')).toBe(1)
  await expect(inSidebar(second, shownRoom).textContent()).resolves.not.toContain('unread')
  expect(visitor.pageErrors).toEqual([])
})

const announcedIds = ({ events }: Socket) =>
  new Set(events.flatMap(({ event }) => (event.case === 'notificationCreated' ? [event.value.notificationId] : [])))

inBrowser('a start makes at most eight calls, and opening a room at most three', async () => {
  const people = await Promise.all(['carl', 'dora', 'emil', 'fay'].map((name) => newPerson(name)))
  const [partners, strangers] = [people.slice(0, 2), people.slice(2)]
  const bob = await newPerson('bob')
  const [roomId, other] = [await newRoom(owner, [ada, bob]), await newRoom(owner, [ada, bob])]
  const [first, second] = fleet().realtimeNodes
  using atFirst = await Socket.subscribe(first, ada.token)
  using atSecond = await Socket.subscribe(second, ada.token)
  for (const partner of partners) {
    const { room } = await ada.call(RoomService.method.startDM, { participantIds: [partner.userId] })
    await post(partner, room?.id ?? '', 'Good morning')
  }
  // A notification that is announced after the page has opened causes one more call. A notification is in the list
  // before it is announced, so the test waits for the announcements on sockets.
  for (const socket of [atFirst, atSecond])
    await eventually(() => expect(announcedIds(socket).size).toBe(partners.length))
  await post(bob, other, `Ask @${strangers.map(({ login }) => login).join(' or @')}, who have said nothing here`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.waitForLoadState('networkidle')
  const calls: string[] = []
  page.on('request', (request) => {
    const [, method] = /\/api\/connect\/([\w./]+)/.exec(request.url()) ?? []
    if (method !== undefined) calls.push(method)
  })
  await page.reload({ waitUntil: 'networkidle' })
  for (const { login } of partners) await page.getByRole('link', { name: login }).waitFor()
  expect(calls.slice(8)).toEqual([])

  calls.length = 0
  await page.locator(`nav a[href$="${other}"]`).click()
  await page.getByRole('button', { name: `@${strangers.at(-1)?.login}` }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(calls.slice(3)).toEqual([])

  // Messages in this room lead to two kinds of calls, a message elsewhere to none.
  calls.length = 0
  const marked = page.waitForResponse('**/MarkRoomAsRead')
  for (const said of ['One', 'Two', 'Three']) {
    await post(bob, other, `${said} of three`)
    await messageWith(page, `${said} of three`).waitFor()
  }
  await marked
  await post(bob, roomId, 'Unheard of')
  await page
    .getByRole('link', { name: /unread/ })
    .and(page.locator(`[href$="${roomId}"]`))
    .waitFor()
  expect(new Set(calls)).toEqual(
    new Set(['svc.api.v1.RoomService/GetRoomEvents', 'svc.api.v1.RoomService/MarkRoomAsRead']),
  )
  expect(visitor.pageErrors).toEqual([])
})

import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import type { Page } from 'playwright-core'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, signInAt, useBrowser, visit } from '../src/web-client.ts'

let owner: Person
let ada: Person

useBrowser('calls', async () => {
  ;[owner, ada] = await Promise.all([theOwner(), newPerson('ada')])
})

/** Counts the calls of a page by their method, from now on. */
function callsOf(page: Page): (method: string) => number {
  const made: string[] = []
  page.on('request', (request) => made.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''))
  return (method) => made.filter((one) => one === method).length
}

const inSidebar = (page: Page, roomId: string) =>
  page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${roomId}"]`)

inBrowser('a room that nobody looks at is read when somebody does, once', async () => {
  const [before, here] = [await newRoom(owner, [ada]), await newRoom(owner, [ada])]
  const first = await post(owner, before, 'Said at first')
  await post(owner, here, 'Said here')
  await using visitor = await visit(`/chat/-/${before}`)
  const { page } = visitor
  await signInAt(page, ada)
  await messageWith(page, 'Said at first').waitFor()
  await inSidebar(page, here).click()
  await messageWith(page, 'Said here').waitFor()

  const made = callsOf(page)
  await owner.call(MessageService.method.addReaction, { roomId: before, messageEventId: first, emoji: 'tada' })
  for (let n = 0; n < 5; n++) await post(owner, before, `Said there ${n}`)
  await post(owner, here, 'And here again')
  await messageWith(page, 'And here again').waitFor()
  expect([made('GetRoomEvents'), made('BatchGetMessages'), made('BatchGetRooms')]).toEqual([1, 0, 0])

  await inSidebar(page, before).click()
  await messageWith(page, 'Said there 4').waitFor()
  await messageWith(page, 'Said at first').getByRole('button', { name: ':tada:' }).waitFor()
  expect([made('GetRoomEvents'), made('BatchGetMessages')]).toEqual([2, 1])
  expect(visitor.complaints).toEqual([])
})

inBrowser('what one tab reads another does not ask about', async () => {
  const [read, other] = [await newRoom(owner, [ada]), await newRoom(owner, [ada])]
  await post(owner, read, 'Said at first')
  await post(owner, other, 'Said elsewhere')
  await using visitor = await visit(`/chat/-/${read}`)
  const { page } = visitor
  await signInAt(page, ada)
  await messageWith(page, 'Said at first').waitFor()
  const second = await page.context().newPage()
  await second.goto(new URL(`/chat/-/${other}`, page.url()).href)
  await messageWith(second, 'Said elsewhere').waitFor()
  await page.bringToFront()

  const made = callsOf(second)
  for (let n = 0; n < 3; n++) {
    const marked = page.waitForResponse('**/MarkRoomAsRead')
    await post(owner, read, `Read in the first tab ${n}`)
    await messageWith(page, `Read in the first tab ${n}`).waitFor()
    await marked
  }
  await owner.call(RoomService.method.updateRoom, { roomId: other, description: 'Changed meanwhile' })
  await second.getByText('Changed meanwhile').waitFor()
  // For the description.
  expect(made('BatchGetRooms')).toBe(1)
  await expect(inSidebar(second, read).textContent()).resolves.not.toContain('unread')
  expect(visitor.complaints).toEqual([])
})

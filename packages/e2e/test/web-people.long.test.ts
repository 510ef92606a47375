import { expect } from '@jest/globals'
import { MyAccountService } from '@parley/contracts/api'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('people', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await theOwner(), [ada, bob])
  await post(bob, roomId, 'Ask me')
})

inBrowser('a profile leads to a direct message', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  const { page } = ofAda
  await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
  const profile = page.getByRole('dialog', { name: bob.login })
  await profile.getByRole('button', { name: 'Write a direct message' }).click()
  await profile.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: bob.login }).waitFor()
  await say(page, 'I ask you')
  await ofBob.page
    .getByRole('navigation', { name: 'Rooms' })
    .getByRole('link', { name: new RegExp(`${ada.login}.*unread`) })
    .click()
  await messageWith(ofBob.page, 'I ask you').waitFor()
  expect([...ofAda.complaints, ...ofBob.complaints]).toEqual([])
})

inBrowser('a status goes when its time is over, for whoever looks at it', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
  const status = page.getByRole('dialog').getByText('On a train')
  const expiresAt = { seconds: BigInt(Math.ceil(Date.now() / 1_000) + 8) }
  await bob.call(MyAccountService.method.updateCustomStatus, { emoji: '🚂', text: 'On a train', expiresAt })
  await status.waitFor()
  await status.waitFor({ state: 'detached' })
  expect(visitor.complaints).toEqual([])
})

import { expect } from '@jest/globals'
import { MyAccountService } from '@parley/contracts/api'
import sharp from 'sharp'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, refusal, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('people', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
  await post(bob, roomId, 'Ask me')
})

inBrowser('a direct message is started from a profile', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  const { page } = ofAda
  await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
  const profile = page.getByRole('dialog', { name: bob.login })
  await profile.getByRole('button', { name: 'Send a direct message' }).click()
  await profile.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: bob.login }).waitFor()
  await say(page, 'I ask you')
  await ofBob.page
    .getByRole('navigation', { name: 'Rooms' })
    .getByRole('link', { name: new RegExp(`${ada.login}.*unread`) })
    .click()
  await messageWith(ofBob.page, 'I ask you').waitFor()
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

inBrowser('a profile says why it cannot be shown, and why no conversation can be started', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const profile = page.getByRole('dialog', { name: bob.login })
  const failures = [
    { code: 'not_found', status: 404, reason: 'This account no longer exists.' },
    { code: 'unavailable', status: 503, reason: 'The server cannot be reached. Try again in a moment.' },
  ]
  for (const { code, status, reason } of failures) {
    await page.route('**/GetUser', (route) =>
      route.fulfill({ ...{ ...refusal, status }, body: JSON.stringify({ code }) }),
    )
    await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
    await profile.getByText(reason).waitFor()
    await page.unroute('**/GetUser')
    await page.keyboard.press('Escape')
    await profile.waitFor({ state: 'hidden' })
  }
  await page.route('**/StartDM', (route) => route.fulfill(refusal))
  await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
  await profile.getByRole('button', { name: 'Send a direct message' }).click()
  await profile.getByRole('alert').waitFor()
})

inBrowser('a status disappears from an open profile when it expires', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await messageWith(page, 'Ask me').getByRole('button', { name: bob.login }).click()
  const status = page.getByRole('dialog').getByText('On a train')
  const expiresAt = { seconds: BigInt(Math.ceil(Date.now() / 1_000) + 8) }
  await bob.call(MyAccountService.method.updateCustomStatus, { emoji: '🚂', text: 'On a train', expiresAt })
  await status.waitFor()
  await status.waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an avatar is shown to others until it is removed', async () => {
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  const picture = messageWith(ofAda.page, 'Ask me').locator('img')
  await messageWith(ofAda.page, 'Ask me').waitFor()
  expect(await picture.count()).toBe(0)
  await ofBob.page.getByRole('button', { name: 'Settings' }).click()
  const dialog = ofBob.page.getByRole('dialog')
  const drawn = sharp({ create: { width: 64, height: 64, channels: 3, background: '#3050c0' } })
  await dialog
    .getByLabel('Picture')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: await drawn.png().toBuffer() })
  await dialog.getByRole('button', { name: 'Save picture' }).click()
  await picture.waitFor()
  await dialog.getByRole('button', { name: 'Remove picture' }).click()
  await picture.waitFor({ state: 'detached' })
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

import { expect } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, refusal, say, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let bob: Person
let roomId: string

useBrowser('the composer', async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(owner, [ada, bob])
})

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)

inBrowser('names and emoji are completed, and the mentioned person is notified', async () => {
  // Names reach the service `rooms` by events.
  await eventually(async () => {
    const { members } = await ada.call(RoomService.method.listMembers, { roomId, search: bob.login.slice(0, 8) })
    expect(members).toHaveLength(1)
  })
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  await field.pressSequentially(`Look @${bob.login.slice(0, 8)}`)
  await page.getByRole('option', { name: bob.login }).waitFor()
  await field.press('Enter')
  expect(await field.inputValue()).toBe(`Look @${bob.login} `)
  await field.pressSequentially(':rocke')
  await page.getByRole('option', { name: ':rocket:' }).waitFor()
  await field.press('Tab')
  await field.pressSequentially('@mod')
  await page.getByRole('option', { name: 'moderator' }).waitFor()
  await field.press('Tab')
  await field.press('Enter')
  const message = messageWith(page, `Look @${bob.login} 🚀`)
  // The mention of a role has the display name of the role as its title.
  expect(await message.getByTitle('Moderator').textContent()).toBe('@moderator')
  await message.getByRole('button', { name: `@${bob.login}` }).click()
  await page.getByRole('dialog').getByText(bob.login).first().waitFor()
  await page.keyboard.press('Escape')

  await using ofBob = await visitAs(bob)
  // After other suites, especially an import, notifications may have a backlog.
  await ofBob.page.getByRole('button', { name: /Notifications 1/ }).click({ timeout: 90_000 })
  await ofBob.page.getByRole('link', { name: `${ada.login} mentioned you` }).click()
  await messageWith(ofBob.page, '🚀').waitFor()
  expect([...visitor.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

inBrowser('names found after the message was sent are not suggested', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const { promise: sent, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/ListMembers', async (route) => {
    await sent
    await route.continue()
  })
  const field = page.getByRole('textbox', { name: 'Write a message' })
  const asked = page.waitForRequest('**/ListMembers')
  await field.pressSequentially(`Quickly, @${bob.login}`)
  await asked
  await field.press('Enter')
  await messageWith(page, 'Quickly').waitFor()
  const answered = page.waitForResponse('**/ListMembers')
  release()
  await (await answered).finished()
  // Two frames, so that the response has been rendered.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  expect(await page.getByRole('listbox', { name: 'Suggestions' }).count()).toBe(0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an emoji that is found by its name can be used as a reaction', async () => {
  await post(bob, roomId, 'It is done')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'It is done')
  await message.hover()
  await message.getByRole('button', { name: 'React', exact: true }).click()
  await message.getByRole('button', { name: 'More emoji' }).click()
  await page.getByRole('combobox', { name: 'Find an emoji' }).pressSequentially('unicorn')
  await page.getByRole('option', { name: 'unicorn' }).waitFor()
  await page.keyboard.press('Enter')
  await message.getByRole('button', { name: ':unicorn:, 1 person' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a refusal to take back the only reaction is shown at the message', async () => {
  await post(ada, roomId, 'Liked once')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'Liked once')
  await message.hover()
  await message.getByRole('button', { name: 'React', exact: true }).click()
  await message.getByRole('button', { name: 'React with heart' }).click()
  const reaction = message.getByRole('button', { name: ':heart:' })
  await reaction.waitFor()
  await page.route('**/RemoveReaction', (route) => route.fulfill(refusal))
  await reaction.click()
  await message.getByRole('alert').waitFor()
  await reaction.waitFor()
  await page.unroute('**/RemoveReaction')
  await reaction.click()
  await reaction.waitFor({ state: 'detached' })
  await message.getByRole('alert').waitFor({ state: 'detached' })
})

inBrowser(
  'a message that waits for its files is sent even if its author switches room and language meanwhile',
  async () => {
    const other = await newRoom(owner, [ada])
    await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
    await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
    const { page } = ofAda
    const { promise: mayArrive, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/CompleteUpload', async (route) => {
      await mayArrive
      await route.continue()
    })
    await page
      .getByLabel('Attach files')
      .setInputFiles([{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') }])
    await say(page, 'The plan')
    const waits = page.getByText('Will be sent when the uploads finish.')
    await waits.waitFor()
    const link = (id: string) => page.getByRole('navigation', { name: /Rooms|Räume/ }).locator(`a[href$="${id}"]`)
    await link(other).click()
    await waits.waitFor({ state: 'detached' })
    await link(roomId).click()
    await waits.waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Appearance' }).click()
    await page.getByRole('dialog').getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('dialog').getByRole('heading', { name: 'Einstellungen' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Wird gesendet, sobald alles hochgeladen ist.').waitFor()
    await link(other).click()
    await page.getByText('Wird gesendet, sobald alles hochgeladen ist.').waitFor({ state: 'detached' })
    release()
    await messageWith(ofBob.page, 'The plan').getByRole('link', { name: 'plan.txt' }).waitFor()
    await link(roomId).click()
    await messageWith(page, 'The plan').getByRole('link', { name: 'plan.txt' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Nachricht schreiben' }).inputValue()).toBe('')
    expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
  },
)

inBrowser('files are sent with a message, and others see the picture', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  const { promise: mayArrive, resolve: release } = Promise.withResolvers<void>()
  await ofAda.page.route('**/CompleteUpload', async (route) => {
    await mayArrive
    await route.continue()
  })
  await ofAda.page.getByLabel('Attach files').setInputFiles([
    { name: 'square.png', mimeType: 'image/png', buffer: picture },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one, two, three') },
  ])
  // Sending is possible before the files are uploaded.
  await say(ofAda.page, 'Two files')
  await ofAda.page.getByText('Will be sent when the uploads finish.').waitFor()
  expect(await messageWith(ofAda.page, 'Two files').count()).toBe(0)
  release()
  const received = messageWith(ofBob.page, 'Two files')
  await received.getByRole('link', { name: 'notes.txt' }).waitFor()
  await received.getByRole('button', { name: 'Preview notes.txt' }).click()
  await received.getByRole('region', { name: 'notes.txt' }).getByText('one, two, three').waitFor()
  const image = received.getByRole('img', { name: 'square.png' })
  await image.waitFor()
  // A file that is no picture has a row of its own, here below the picture.
  const [ofFile, ofPicture] = [received.getByRole('link', { name: 'notes.txt' }), image].map((one) => one.boundingBox())
  const [file, shown] = [await ofFile, await ofPicture]
  expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThanOrEqual(file?.y ?? 0)
  await expect(
    image.evaluate((element) => (element as unknown as { decode(): Promise<void> }).decode()),
  ).resolves.toBeUndefined()
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

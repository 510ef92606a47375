import { expect } from '@jest/globals'
import { AdminServerService } from '@parley/contracts/admin'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, visitAdministration, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person

useBrowser('the message of the day', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
})

inBrowser('a user sees a new message of the day at once and can hide it until it is replaced', async () => {
  const roomId = await newRoom(owner, [ada])
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = ofAda
  const message = page.getByRole('region', { name: 'Message of the day' }).first()
  await using ofOwner = await visitAdministration(owner, '/manage/server')
  const write = async (text: string) => {
    await ofOwner.page.getByLabel('Message of the day').fill(text)
    await ofOwner.page.getByRole('button', { name: 'Save' }).first().click()
  }
  await write('The office is **closed** on Friday.\n\n- Bring cake')
  await message.getByText('closed').and(page.locator('strong')).waitFor()
  await message.getByRole('listitem').waitFor()

  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload({ waitUntil: 'networkidle' })
  await message.waitFor()
  expect(asked.filter((url) => url.includes('GetMotd'))).toEqual([])

  await page.getByRole('button', { name: 'Hide the message of the day' }).click()
  await message.waitFor({ state: 'detached' })
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  expect(await message.count()).toBe(0)
  // Another setting of the server changes in between.
  await owner.call(AdminServerService.method.updateServerConfig, { description: 'Where we talk' })

  await write('Cake is in the kitchen')
  await message.getByText('kitchen').waitFor()
  await write('')
  await message.waitFor({ state: 'detached' })
  expect([...ofAda.pageErrors, ...ofOwner.pageErrors]).toEqual([])
})

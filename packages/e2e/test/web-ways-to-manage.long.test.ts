import { expect } from '@jest/globals'
import { AdminServerService } from '@parley/contracts/admin'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let roomId: string

useBrowser('ways to the administration', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
})

inBrowser('a long name of the server does not cover the buttons beside it', async () => {
  const { config: before } = await owner.call(AdminServerService.method.getServerConfig, {})
  const name = 'Harbour Street Bakery and Coffee Roasters'
  await owner.call(AdminServerService.method.updateServerConfig, { serverName: name })
  try {
    await using visitor = await visitAs(owner, `/chat/-/${roomId}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: `Manage ${name}` }).click()
    await page.getByRole('navigation', { name: 'Administration' }).waitFor()
    expect(visitor.pageErrors).toEqual([])
  } finally {
    await owner.call(AdminServerService.method.updateServerConfig, { serverName: before?.serverName ?? '' })
  }
})

inBrowser('the switcher finds the administration only for those who may see it', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofOwner = await visitAs(owner, `/chat/-/${roomId}`)
  for (const { page } of [ofAda, ofOwner]) {
    await page.getByRole('button', { name: 'Find people, rooms and commands' }).click()
    await page.getByRole('option', { name: 'Settings' }).waitFor()
  }
  expect(await ofAda.page.getByRole('option', { name: 'Administration' }).count()).toBe(0)
  const { page } = ofOwner
  await page.getByRole('combobox').fill('manage')
  await page.getByRole('option', { name: 'Administration: People' }).waitFor()
  await page.getByRole('combobox').fill('invites')
  await page.getByRole('option', { name: 'Administration: Invites' }).click()
  await page.getByRole('heading', { name: 'Invites', exact: true }).waitFor()
  expect([...ofAda.pageErrors, ...ofOwner.pageErrors]).toEqual([])
})

inBrowser('the pane about a room links to its administration only for those who may manage the room', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofOwner = await visitAs(owner, `/chat/-/${roomId}`)
  for (const { page } of [ofAda, ofOwner]) {
    await page.getByRole('button', { name: 'About this room' }).click()
    await page.getByRole('button', { name: 'Leave room' }).waitFor()
  }
  expect(await ofAda.page.getByRole('link', { name: 'Manage this room' }).count()).toBe(0)
  await ofOwner.page.getByRole('link', { name: 'Manage this room' }).click()
  await ofOwner.page.getByLabel('Find somebody to add').waitFor()
  expect(ofOwner.page.url()).toContain(`/manage/rooms/${roomId}`)
  expect([...ofAda.pageErrors, ...ofOwner.pageErrors]).toEqual([])
})

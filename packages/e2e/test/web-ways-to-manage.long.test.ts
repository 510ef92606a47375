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

inBrowser('a long name of the server covers no button', async () => {
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

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { repositoryRoot } from '@parley/local'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, useBrowser, messageWith, signInAt, visit } from '../src/web-client.ts'

/** `pnpm web:screenshots`: the main views as pictures, into docs/images if that is asked for, else looked at and thrown away. */
const folder = process.env['PARLEY_SCREENSHOTS'] === undefined ? undefined : join(repositoryRoot(), 'docs/images')

let owner: Person
let bob: Person
let roomId: string
let rootId: string

useBrowser('screenshots', async () => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  ;[owner, bob] = await Promise.all([theOwner(), newPerson('bob')])
  roomId = await newRoom(owner, [bob])
  await owner.call(RoomService.method.updateRoom, {
    roomId,
    name: 'launch',
    description: 'Everything about the launch',
  })
  await post(owner, roomId, 'Good morning! The **checklist** is ready:\n\n1. texts\n2. pictures\n3. a last look')
  rootId = await post(bob, roomId, 'Shall we ship today?')
  await bob.call(MessageService.method.createMessage, { roomId, threadRootEventId: rootId, body: 'After lunch.' })
  await post(owner, roomId, `Yes. @${bob.login}, you press the button.\n\n\`\`\`\nmake release\n\`\`\``)
})

const views = [
  {
    name: 'room-light',
    colorScheme: 'light',
    viewport: { width: 1200, height: 760 },
    path: () => `/chat/-/${roomId}/${rootId}`,
  },
  { name: 'room-dark', colorScheme: 'dark', viewport: { width: 1200, height: 760 }, path: () => `/chat/-/${roomId}` },
  { name: 'room-phone', colorScheme: 'light', viewport: { width: 390, height: 780 }, path: () => `/chat/-/${roomId}` },
] as const

inBrowser.each(views)('$name', async ({ name, colorScheme, viewport, path }) => {
  await using visitor = await visit(path(), { colorScheme, viewport })
  const { page } = visitor
  await signInAt(page, owner).catch(() => undefined)
  await messageWith(page, 'you press the button').waitFor()
  const picture = await page.screenshot(folder === undefined ? {} : { path: join(folder, `${name}.png`) })
  expect(picture.length).toBeGreaterThan(10_000)
})

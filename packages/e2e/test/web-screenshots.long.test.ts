import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { MessageService, MyAccountService } from '@parley/contracts/api'
import { repositoryRoot } from '@parley/local'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { fillSignIn, inBrowser, messageWith, useBrowser, visit } from '../src/web-client.ts'

/** `pnpm web:screenshots` saves the pictures in docs/images; any other run discards them. */
const folder = process.env['PARLEY_SCREENSHOTS'] === undefined ? undefined : join(repositoryRoot(), 'docs/images')

let owner: Person
let bob: Person
let roomId: string
let rootId: string

useBrowser('screenshots', async () => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  ;[owner, bob] = await Promise.all([signInOwner(), newPerson('bob')])
  await owner.call(MyAccountService.method.updateProfile, { displayName: 'Ada' })
  await bob.call(MyAccountService.method.updateProfile, { displayName: 'Bob' })
  roomId = await newRoom(owner, [bob], { name: 'launch', description: 'Everything about the launch' })
  await post(owner, roomId, 'Good morning! The **checklist** is ready:\n\n1. texts\n2. pictures\n3. a last look')
  rootId = await post(bob, roomId, 'Shall we ship today?')
  await bob.call(MessageService.method.createMessage, { roomId, threadRootEventId: rootId, body: 'After lunch.' })
  await post(owner, roomId, `Yes. **Bob**, you press the button.\n\n\`\`\`\nmake release\n\`\`\``)
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

inBrowser.each(views)('the screenshot $name can be taken', async ({ name, colorScheme, viewport, path }) => {
  await using visitor = await visit(path(), { colorScheme, viewport })
  const { page } = visitor
  await fillSignIn(page, owner)
  await messageWith(page, 'press the button').waitFor()
  // Fixed times, so that pictures change only with the design.
  await page.evaluate(`
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      text.data = text.data.replace(/\\d{1,2}:\\d\\d(?: [AP]M)?/, '10:02')`)
  const picture = await page.screenshot(folder === undefined ? {} : { path: join(folder, `${name}.png`) })
  expect(picture.length).toBeGreaterThan(10_000)
})

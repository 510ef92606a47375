import { createHash, randomBytes } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { FetchLinkPreviewResponseSchema } from '@parley/contracts/api'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { databaseOf } from '../src/databases.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let roomId: string

useBrowser('reading', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
})

/**
 * Stores a preview directly, because the fleet refuses to fetch pages from local addresses. Returns the token with
 * which a message gets the preview.
 */
async function storePreview(person: Person, page: { url: string; title: string; siteName: string }): Promise<string> {
  const token = `prl_LP${randomBytes(32).toString('base64url')}`
  await using messaging = await databaseOf('messaging')
  await messaging.query(
    `insert into link_preview_tokens (digest, user_id, preview, expires_at) values ($1, $2, $3, now() + interval '30 minutes')`,
    [
      createHash('sha256').update(token).digest(),
      person.userId,
      toBinary(PagePreviewSchema, create(PagePreviewSchema, page)),
    ],
  )
  return token
}

inBrowser('the author and the readers of a message see a preview of the linked page', async () => {
  const page = { url: 'https://example.org/plans', title: 'The plans', siteName: 'Example' }
  const previewToken = await storePreview(ada, page)
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofOwner = await visitAs(owner, `/chat/-/${roomId}`)
  await ofAda.page.route('**/FetchLinkPreview', (route) => {
    const answer = create(FetchLinkPreviewResponseSchema, { preview: page, previewToken })
    const body = Buffer.from(toBinary(FetchLinkPreviewResponseSchema, answer))
    return route.fulfill({ contentType: 'application/proto', body })
  })
  const field = ofAda.page.getByRole('textbox', { name: 'Write a message' })
  await field.fill(`Have a look at ${page.url}`)
  await ofAda.page.getByRole('button', { name: 'Send without this preview' }).waitFor()
  await field.press('Enter')
  for (const reader of [ofAda, ofOwner]) {
    const preview = messageWith(reader.page, 'Have a look').getByRole('link', { name: /The plans/ })
    expect(await preview.getAttribute('href')).toBe(page.url)
    expect(await preview.getAttribute('rel')).toContain('noopener')
    expect(reader.pageErrors).toEqual([])
  }
})

inBrowser('many new messages cause few announcements for screen readers, and none is announced twice', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await messageWith(page, 'Have a look').waitFor()
  await page.evaluate(`globalThis.announced = []
    for (const region of document.querySelectorAll('main [role="status"]'))
      new MutationObserver(() => region.textContent && announced.push(region.textContent)).observe(region, { subtree: true, childList: true, characterData: true })`)
  const announced = () => page.evaluate<string[]>('announced')
  const messages = 40
  await Promise.all(Array.from({ length: messages }, (_, n) => post(owner, roomId, `Of many, number ${n}`)))
  const named = (text: string) => Number(/^(\d+) new messages$/.exec(text)?.[1] ?? 1)
  await eventually(async () => expect((await announced()).reduce((sum, text) => sum + named(text), 0)).toBe(messages))
  const all = await announced()
  expect(all.length).toBeLessThan(messages / 4)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('after midnight a message of the past day is shown under Yesterday', async () => {
  const quiet = await newRoom(owner, [ada])
  await post(owner, quiet, 'Said late')
  await using visitor = await visitAs(ada, `/chat/-/${quiet}`)
  const { page } = visitor
  await page.clock.install()
  await page.reload()
  await messageWith(page, 'Said late').waitFor()
  const log = page.getByRole('main').getByRole('log')
  await log.getByText('Today', { exact: true }).waitFor()
  await page.clock.fastForward('24:00:00')
  await log.getByText('Yesterday', { exact: true }).waitFor()
  expect(await log.getByText('Today', { exact: true }).count()).toBe(0)
})

inBrowser('rows have the heights that the timeline estimates before it renders them', async () => {
  const roomId = await newRoom(owner, [ada])
  for (const body of ['first', 'second', 'third\n\nfourth']) await post(owner, roomId, body)
  await using visitor = await visitAs(owner, `/chat/-/${roomId}`)
  const { page } = visitor
  await messageWith(page, 'fourth').waitFor()
  const heights = await page.evaluate<number[]>(
    `[...document.querySelectorAll('[role=log] > div > div')].map((line) => line.getBoundingClientRect().height)`,
  )
  // A row for the day, three about the room, and the messages: packages/web/src/store/heights.ts.
  expect(heights).toEqual([34, 29, 29, 29, 53.5, 26.5, 57])
})

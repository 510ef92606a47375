import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { MessageService } from '@parley/contracts/api'
import { hasFfmpeg } from '@parley/testkit'
import type { Locator, Page } from 'playwright-core'
import { sampleVideo, mp4 } from '../src/sample-videos.ts'
import { sendFile } from '../src/files.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('files', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

const filesToSend = (page: Page) => page.getByRole('list', { name: 'Files to send' })

async function dragFile(page: Page, path: string, onto: Locator, whileHovering: () => Promise<unknown>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const box = await onto.boundingBox()
  if (!box) throw new Error('there is nothing to drop on')
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, ...at, data })
  await drag('dragEnter')
  await drag('dragOver')
  await whileHovering()
  await drag('drop')
}

inBrowser('files pasted or dragged into a room, or dragged into a thread, are sent there', async () => {
  const root = await post(bob, roomId, 'Show me')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await page.getByRole('textbox', { name: 'Write a message' }).evaluate((field) => {
    const page = globalThis as unknown as Record<
      string,
      new (...given: unknown[]) => { items: { add(file: unknown): void } }
    >
    const { DataTransfer, File, ClipboardEvent } = page
    if (!DataTransfer || !File || !ClipboardEvent) throw new Error('this browser cannot paste')
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['from the clipboard'], 'pasted.txt', { type: 'text/plain' }))
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    ;(field as unknown as { dispatchEvent(event: unknown): void }).dispatchEvent(paste)
  })
  await filesToSend(page).getByText('pasted.txt').waitFor()

  const folder = await mkdtemp(join(tmpdir(), 'parley-drag-'))
  try {
    const path = join(folder, 'dragged.txt')
    await writeFile(path, 'from the desk')
    const [main, thread] = [page.getByRole('main'), page.getByRole('complementary')]
    await dragFile(page, path, main.getByRole('log'), () => main.locator('.dropping').waitFor())
    await filesToSend(page).filter({ hasText: 'dragged.txt' }).getByText('13 byte').waitFor()
    await say(page, 'From here and there')
    for (const name of ['pasted.txt', 'dragged.txt'])
      await messageWith(page, 'From here and there').getByRole('link', { name }).waitFor()

    await dragFile(page, path, thread.getByRole('log'), () => page.locator('aside.dropping').waitFor())
    await thread.getByRole('list', { name: 'Files to send' }).getByText('13 byte').waitFor()
    await thread.getByRole('textbox', { name: 'Reply in thread' }).press('Enter')
    await thread.getByRole('article').getByRole('link', { name: 'dragged.txt' }).waitFor()

    // A drop elsewhere has no effect.
    const address = page.url()
    await dragFile(page, path, page.getByRole('navigation', { name: 'Rooms' }), async () => undefined)
    await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
    expect([page.url(), await page.locator('.dropping').count()]).toEqual([address, 0])
  } finally {
    await rm(folder, { recursive: true })
  }
  expect(visitor.pageErrors).toEqual([])
})

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)

inBrowser('the pictures of a message can be viewed one after another', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const named = (name: string) => ({ name, mimeType: 'image/png', buffer: picture })
  await page.getByLabel('Attach files').setInputFiles([named('left.png'), named('right.png')])
  await say(page, 'Two pictures')
  const message = messageWith(page, 'Two pictures')
  await message.getByRole('link', { name: 'Open left.png' }).click()
  const left = page.getByRole('dialog', { name: 'left.png' })
  await left.getByRole('img', { name: 'left.png' }).waitFor()
  await left.getByText('1 of 2').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('dialog', { name: 'right.png' }).getByRole('img', { name: 'right.png' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(page.url()).toContain(roomId)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an upload can be paused and resumed', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  const { page } = ofAda
  const content = randomBytes(4_000_000)
  let [chunks, bytes] = [0, 0]
  const { promise: paused, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/UploadChunk', async (route) => {
    bytes += route.request().postDataBuffer()?.length ?? 0
    if (++chunks === 2) await paused
    await route.continue()
  })
  const second = page.waitForRequest(() => chunks === 2)
  await page
    .getByLabel('Attach files')
    .setInputFiles([{ name: 'large.bin', mimeType: 'application/zip', buffer: content }])
  await second
  await filesToSend(page).getByRole('button', { name: 'Pause' }).click()
  const answered = page.waitForResponse('**/UploadChunk')
  release()
  await answered
  await filesToSend(page).getByRole('button', { name: 'Resume' }).waitFor()
  await say(page, 'All of it')
  await page.getByText('Will be sent when the uploads finish.').waitFor()
  expect(chunks).toBe(2)

  await filesToSend(page).getByRole('button', { name: 'Resume' }).click()
  const link = messageWith(ofBob.page, 'All of it').getByRole('link', { name: 'large.bin' })
  const url = new URL((await link.getAttribute('href')) ?? '', page.url())
  const received = await ofBob.page.request.get(url.href)
  expect((await received.body()).equals(content)).toBe(true)
  // Nothing was uploaded twice.
  expect(bytes - content.length).toBeLessThan(chunks * 500)
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

inBrowser('code is highlighted in messages and in files', async () => {
  const code = 'const answer = "forty-two" // <b>'
  const assetId = await sendFile(bob, roomId, code, { filename: 'answer.ts', contentType: 'application/octet-stream' })
  const body = `Read this\n\n\`\`\`js\n${code}\n\`\`\``
  await bob.call(MessageService.method.createMessage, { roomId, body, attachmentAssetIds: [assetId] })
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'Read this')
  await message.getByRole('button', { name: 'Preview answer.ts' }).click()
  for (const element of [message.locator('pre code'), message.getByRole('region', { name: 'answer.ts' })]) {
    const [keyword, plain] = [element.getByText('const', { exact: true }), element.getByText(code)]
    await keyword.waitFor()
    expect((await plain.textContent())?.trim()).toBe(code)
    const colourOf = (element: Locator) =>
      element.evaluate((one) => {
        const { getComputedStyle } = globalThis as unknown as { getComputedStyle(of: unknown): { color: string } }
        return getComputedStyle(one).color
      })
    expect(await colourOf(keyword)).not.toBe(await colourOf(plain))
  }
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a file deleted by its author disappears for others', async () => {
  const about = (name: string) => ({ filename: `${name}.bin`, contentType: 'application/octet-stream' })
  const kept = await sendFile(bob, roomId, 'kept', about('kept'))
  const taken = await sendFile(bob, roomId, 'taken', about('taken'))
  const content = { roomId, body: 'Two files', attachmentAssetIds: [kept, taken] }
  const { message } = await bob.call(MessageService.method.createMessage, content)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const link = (name: string) => messageWith(page, 'Two files').getByRole('link', { name })
  await link('taken.bin').waitFor()
  const event = { roomId, eventId: message?.id ?? '' }
  await bob.call(MessageService.method.deleteAttachment, { ...event, attachmentId: taken })
  await link('taken.bin').waitFor({ state: 'detached' })
  await link('kept.bin').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

if (hasFfmpeg())
  inBrowser('a video is processed, and then played inline', async () => {
    await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
    await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
    await ofBob.page.getByRole('textbox', { name: 'Write a message' }).waitFor()
    await ofAda.page
      .getByLabel('Attach files')
      .setInputFiles([{ name: mp4.filename, mimeType: mp4.contentType, buffer: await sampleVideo() }])
    await filesToSend(ofAda.page).getByText('kB').waitFor()
    await say(ofAda.page, 'Look at this')
    const video = messageWith(ofBob.page, 'Look at this').locator('video')
    await video.waitFor({ timeout: 90_000 })
    const played = await video.evaluate(async (element) => {
      const video = element as unknown as EventTarget & { play(): Promise<void>; videoWidth: number; duration: number }
      const ended = new Promise((resolve) => video.addEventListener('ended', resolve))
      await video.play()
      await ended
      return [video.videoWidth, Math.round(video.duration)]
    })
    expect(played).toEqual([640, 1])
    expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
  })
else console.log('skipped: video playback in a browser (ffmpeg and ffprobe not found)')

import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, timeWhenTrue, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person

useBrowser('a flood', async () => (ada = await newPerson('ada')))

/** Together the authors post more than the 500 rows that the client keeps. */
const [postsPerAuthor, atOnce] = [240, 8]
const typed = 'so '

async function countWork(page: Page, otherTab: Page): Promise<() => Promise<{ rendered: number; copied: number }>> {
  await page.evaluate(`globalThis.rendered = 0
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node instanceof Element) rendered += node.querySelectorAll('article').length
    }).observe(document.querySelector('[role=log]'), { childList: true, subtree: true })`)
  await otherTab.evaluate(`globalThis.copied = 0
    new BroadcastChannel('parley.events.${ada.userId}').addEventListener('message', () => copied++)`)
  return async () => ({
    rendered: await page.evaluate<number>('rendered'),
    copied: await otherTab.evaluate<number>('copied'),
  })
}

inBrowser(
  'while eight people write as fast as they can, the newest message is shown and typing still works',
  async () => {
    const authors = await Promise.all([...'bcdefghi'].map((name) => newPerson(name)))
    const roomId = await newRoom(await signInOwner(), [ada, ...authors])
    await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
    const { page } = visitor
    const field = page.getByRole('textbox', { name: 'Write a message' })
    await field.waitFor()
    const otherTab = await page.context().newPage()
    await otherTab.goto(new URL('/healthz', page.url()).href)
    await page.bringToFront()
    const work = await countWork(page, otherTab)
    // On a slow processor several messages arrive during each frame.
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
    const write = async (author: Person) => {
      for (let n = 0; n < postsPerAuthor; n += atOnce) {
        // An overloaded server refuses some calls; they are repeated.
        const posted = Array.from({ length: atOnce }, (_, at) =>
          eventually(() => post(author, roomId, `In haste, number ${n + at}`)),
        )
        await Promise.all(posted)
      }
    }
    const began = Date.now()
    const flood = { isOver: false }
    const writing = Promise.all(authors.map(write)).finally(() => (flood.isOver = true))
    let written = ''
    await field.focus()
    while (!flood.isOver) {
      await page.keyboard.type(typed)
      written += typed
    }
    await writing
    const perSecond = (authors.length * postsPerAuthor) / ((Date.now() - began) / 1_000)
    const seen = timeWhenTrue(page, `document.querySelector('[role=log]').textContent.includes('And now slowly')`)
    const last = Date.now()
    await post(await signInOwner(), roomId, 'And now slowly')
    const late = (await seen) - last
    console.log(
      `after ${perSecond.toFixed(0)} messages a second, processor 6x slower: the newest is shown after ${late} ms`,
    )
    await messageWith(page, 'And now slowly').waitFor()
    expect(await page.getByRole('button', { name: 'Jump to newest' }).isVisible()).toBe(false)
    expect(await field.inputValue()).toBe(written)
    const { rendered, copied } = await work()
    expect(rendered).toBeLessThan((authors.length * postsPerAuthor) / 2)
    expect(copied).toBe(0)
    expect(visitor.pageErrors).toEqual([])
  },
  300_000,
)

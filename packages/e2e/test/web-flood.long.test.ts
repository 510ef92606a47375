import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, seenAt, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person

useBrowser('a flood', async () => (ada = await newPerson('ada')))

/** Each writes on as soon as the last ones are posted: more than the 500 rows that a window keeps. */
const [each, atOnce] = [240, 8]

inBrowser('the newest message is shown however fast five people write', async () => {
  const authors = await Promise.all(['b', 'c', 'd', 'e', 'f'].map((name) => newPerson(name)))
  const roomId = await newRoom(await theOwner(), [ada, ...authors])
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  // Frames that take longer than the messages between them.
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const write = async (author: Person) => {
    for (let n = 0; n < each; n += atOnce) {
      // An overloaded server refuses, and the call is repeated.
      const posted = Array.from({ length: atOnce }, (_, at) =>
        eventually(() => post(author, roomId, `In haste, number ${n + at}`)),
      )
      await Promise.all(posted)
    }
  }
  const began = Date.now()
  await Promise.all(authors.map(write))
  const perSecond = (authors.length * each) / ((Date.now() - began) / 1_000)
  const seen = seenAt(page, `document.querySelector('[role=log]').textContent.includes('And now slowly')`)
  const last = Date.now()
  await post(await theOwner(), roomId, 'And now slowly')
  const late = (await seen) - last
  console.log(
    `after ${perSecond.toFixed(0)} messages a second, processor 6x slower: the newest is shown after ${late} ms`,
  )
  await messageWith(page, 'And now slowly').waitFor()
  expect(await page.getByRole('button', { name: 'To the newest' }).isVisible()).toBe(false)
  expect(visitor.complaints).toEqual([])
})

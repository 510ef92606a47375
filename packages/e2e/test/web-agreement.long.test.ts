import { afterAll, expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import type { Page } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, timeWhenTrue, useBrowser, visitAs } from '../src/web-client.ts'

// The times depend on the machine, so they are only printed.
const repetitions = 10
const report: string[] = []
let owner: Person
let ada: Person
let bob: Person
let roomId: string

useBrowser('agreement', async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(owner, [ada, bob])
  await post(owner, roomId, 'To begin with')
})
afterAll(() => console.log(report.join('\n')))

const logText = `(document.querySelector('[role=log]')?.textContent ?? '')`

const messagesOn = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[role=log] article .rest')].map((one) => one.textContent.trim())`,
  )

inBrowser('two browsers show every change, and the same content at the end', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  const pages = [ofAda.page, ofBob.page]
  await Promise.all(pages.map((page) => timeWhenTrue(page, `${logText}.includes('To begin with')`)))

  /** The action goes through the gateway that neither browser uses. */
  const measure = async (what: string, act: (n: number) => Promise<unknown>, shown: (n: number) => string) => {
    const [apart, late]: [number[], number[]] = [[], []]
    for (let n = 0; n < repetitions; n++) {
      const looking = pages.map((page) => timeWhenTrue(page, shown(n)))
      const began = Date.now()
      await act(n)
      const seen = await Promise.all(looking)
      apart.push(Math.max(...seen) - Math.min(...seen))
      late.push(Math.max(...seen) - began)
    }
    report.push(
      `${what}: both browsers showed it after at most ${Math.max(...late)} ms, at most ${Math.max(...apart)} ms apart`,
    )
  }
  const base = fleet().gateways[1]
  const ids: string[] = []
  await measure(
    'a message',
    async (n) => ids.push(await post(owner, roomId, `Said ${n}.`, { base })),
    (n) => `${logText}.includes('Said ${n}.')`,
  )
  const { updateMessage, addReaction, deleteMessage } = MessageService.method
  const at = (n: number) => ({ roomId, eventId: ids[n] ?? '' })
  await measure(
    'an edit',
    (n) => owner.call(updateMessage, { ...at(n), body: `Changed ${n}.` }, { base }),
    (n) => `${logText}.includes('Changed ${n}.')`,
  )
  await measure(
    'a reaction',
    (n) => owner.call(addReaction, { roomId, messageEventId: ids[n] ?? '', emoji: 'tada' }, { base }),
    (n) => `document.querySelectorAll('[role=log] [aria-label^=":tada:"]').length > ${n}`,
  )
  await measure(
    'a deletion',
    (n) => owner.call(deleteMessage, at(n), { base }),
    (n) => `!${logText}.includes('Changed ${n}.')`,
  )
  await measure(
    'a new topic of the room',
    (n) => owner.call(RoomService.method.updateRoom, { roomId, description: `About ${n}.` }, { base }),
    (n) => `document.querySelector('main header').textContent.includes('About ${n}.')`,
  )
  const [first, second] = await Promise.all(pages.map(messagesOn))
  expect(first).toEqual(second)
  expect(first?.length).toBe(repetitions + 1)
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

import { beforeEach, describe, expect, test } from '@jest/globals'
import { Browser, type BrowserAnswer } from '@parley/testkit'
import { newBrowser, signedInUserId, signInBrowser, viaOtherGateway } from '../src/browsers.ts'
import { databaseOf } from '../src/databases.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person } from '../src/people.ts'

const getViewer = '/api/connect/svc.api.v1.ViewerService/GetViewer'
let ada: Person
let browser: Browser
let before: Browser

/** The sessions then look as if the interval had passed. */
async function letPass(person: Person, interval: string): Promise<void> {
  await using accounts = await databaseOf('accounts')
  const changed = await accounts.query(
    "update credentials set rotated_at = rotated_at - $2::interval where user_id = $1 and kind = 'cookie'",
    [person.userId, interval],
  )
  expect(changed.rowCount).toBeGreaterThan(0)
}

const copyOf = ({ base, jar }: Browser) => new Browser(base, new Map(jar))
const copyAt = (each: Browser, base: string) => copyOf(each).via(base)
const sessionsIn = ({ cookies }: BrowserAnswer) => cookies.filter((cookie) => cookie.startsWith('parley_session='))
const handleIn = ({ jar }: Browser) => jar.get('parley_session')

beforeEach(async () => {
  ada = await newPerson('ada')
  browser = newBrowser()
  await signInBrowser(browser, ada)
  before = copyOf(browser)
})

const requests: Record<string, (each: Browser) => Promise<BrowserAnswer>> = {
  'a call': (each) => each.postJson(getViewer, {}),
  'a call that fails': (each) => each.postJson(getViewer, 'no object'),
  'a call in binary': (each) => each.send('POST', getViewer, '', { 'content-type': 'application/proto' }),
  'a route for scripts': (each) => each.postJson('/auth/verify-email/confirm-code', {}, each.csrf),
  'a route for navigations': (each) => each.get('/oauth/consent/request'),
}

describe('a session cookie', () => {
  test('stays the same while more than a quarter of its lifetime is left', async () => {
    await letPass(ada, '67 days')
    for (const request of Object.values(requests)) expect(sessionsIn(await request(browser))).toEqual([])
    expect(handleIn(browser)).toBe(handleIn(before))
  })

  test.each(Object.keys(requests))(
    'is replaced by the response to %s when a quarter of its lifetime is left',
    async (name) => {
      await letPass(ada, '68 days')
      const answer = await requests[name]?.(browser)
      expect(answer && sessionsIn(answer)).toHaveLength(1)
      expect(handleIn(browser)).not.toBe(handleIn(before))
      for (const each of [browser, viaOtherGateway(browser)]) {
        const again = await each.postJson(getViewer, {})
        expect([again.status, sessionsIn(again)]).toEqual([200, []])
      }
      // The new CSRF token is accepted.
      const code = await browser.postJson('/auth/verify-email/confirm-code', { email: 'a@b', code: '1' }, browser.csrf)
      expect(code.status).toBe(400)
    },
  )

  test('is replaced once by concurrent requests, none of which is refused', async () => {
    await letPass(ada, '68 days')
    const many = Array.from({ length: 20 }, (_, n) => {
      const each = copyAt(before, fleet().gateways[n % 2] ?? '')
      return each.postJson(getViewer, {}).then((answer) => ({ answer, each }))
    })
    const answers = await Promise.all(many)
    expect(answers.map(({ answer }) => answer.status)).toEqual(Array(20).fill(200))
    const renewed = answers.filter(({ answer }) => sessionsIn(answer).length > 0)
    expect(renewed).toHaveLength(1)
    for (const base of fleet().gateways) {
      expect(await signedInUserId(copyAt(before, base))).toBe(ada.userId)
      for (const { each } of renewed) expect(await signedInUserId(each.via(base))).toBe(ada.userId)
    }
  })

  test.each([
    ['is valid for a minute', '45 seconds', true],
    ['is invalid afterwards', '61 seconds', false],
  ])('that was replaced %s', async (_, interval, isValid) => {
    await letPass(ada, '68 days')
    expect(sessionsIn(await browser.postJson(getViewer, {}))).toHaveLength(1)
    await letPass(ada, interval)
    // Asks the other gateway, which has not cached this cookie.
    expect(await signedInUserId(viaOtherGateway(before))).toBe(isValid ? ada.userId : undefined)
    for (const each of [browser, viaOtherGateway(browser)]) expect(await signedInUserId(each)).toBe(ada.userId)
  })

  test('that was replaced can still be used to sign out, which ends the session', async () => {
    await letPass(ada, '68 days')
    await browser.postJson(getViewer, {})
    expect((await before.postJson('/auth/logout', {}, before.csrf)).status).toBe(200)
    expect(await signedInUserId(browser)).toBeUndefined()
  })
})

import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, jsonOf, type Browser } from '@parley/testkit'
import { newBrowser, signedInUserId, signInBrowser, viaOtherGateway } from '../src/browsers.ts'
import { codeIn, linkTokenIn, mailTo } from '../src/mails.ts'
import { newPerson, operate, signIn } from '../src/people.ts'

let browser: Browser
let login: string
let email: string
beforeEach(() => {
  browser = newBrowser()
  login = `newbie-${randomBytes(5).toString('hex')}`
  email = `${login}@example.org`
})
const password = 'long enough for anyone'

describe('an account with a mailed code', () => {
  test('is created with JSON requests that alternate between the gateways', async () => {
    expect((await browser.postJson('/auth/register', { email })).status).toBe(200)
    const code = codeIn(await mailTo(email))
    const wrong = await viaOtherGateway(browser).postJson('/auth/register/verify-code', { email, code: '000000' })
    expect([wrong.status, jsonOf(wrong)]).toEqual([400, { error: expect.any(String) }])
    const { completionToken: token } = jsonOf(
      await viaOtherGateway(browser).postJson('/auth/register/verify-code', { email, code }),
    )
    const request = { token, login, password, passwordConfirmation: password }
    const done = await browser.postJson('/auth/register/complete', request)
    expect([done.status, jsonOf(done)]).toEqual([
      200,
      { success: true, user: { id: expect.any(String), login }, token: expect.stringMatching(/^prl_AT/) },
    ])
    expect(await signedInUserId(viaOtherGateway(browser))).toBe((jsonOf(done).user as { id: string }).id)
    expect((await signIn({ login: email, password })).login).toBe(email)
    expect((await newBrowser().postJson('/auth/register/complete', request)).status).toBe(400)
  })
})

describe('a forgotten password', () => {
  test('is replaced with a mailed link, and every session ends at both gateways', async () => {
    const ada = await newPerson('ada')
    const address = `${ada.login}@example.org`
    await operate(['user', 'verify-email', '--login', ada.login, '--email', address])
    await signInBrowser(browser, ada)
    expect(await signedInUserId(viaOtherGateway(browser))).toBe(ada.userId)

    const elsewhere = newBrowser()
    await elsewhere.postJson('/auth/forgot-password', { email: address })
    const token = linkTokenIn(await mailTo(address))
    const typed = { token, password: 'another one entirely' }
    expect((await viaOtherGateway(elsewhere).postJson('/auth/reset-password', typed)).status).toBe(200)

    for (const each of [browser, viaOtherGateway(browser)])
      await eventually(async () => expect(await signedInUserId(each)).toBeUndefined())
    expect(await signedInUserId(elsewhere)).toBeUndefined()
    expect((await signIn({ login: ada.login, password: typed.password })).userId).toBe(ada.userId)
    const again = await newBrowser().postJson('/auth/reset-password', { token, password: 'yet another one' })
    expect(again.status).toBe(400)
  })
})

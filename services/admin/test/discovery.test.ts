import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { testAdmin, type TestAdmin } from './_admin.ts'

let admin: TestAdmin

beforeAll(async () => {
  admin = await testAdmin()
})

afterAll(() => admin[Symbol.asyncDispose]())

test('anyone may ask what server this is, in both shapes', async () => {
  await using _process = await admin.start()
  const server = await admin.anonymous.discovery.getServer({})
  expect(server.profile).toMatchObject({ name: 'Parley', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(server.profile?.description).not.toBe('')
  expect(server.profile?.welcomeMessage).toBeUndefined()
  expect(server.publicProfile).toEqual(server.profile)
  expect(server.login).toMatchObject({
    directRegistrationEnabled: true,
    providers: [],
    authorizeUrl: 'https://chat.example.org/oauth/authorize',
  })
  expect(server).toMatchObject({ directRegistrationEnabled: true, loginProviders: [] })
})

test('closed registration is told', async () => {
  await using _process = await admin.start({ PARLEY_AUTH_DIRECT_REGISTRATION: 'false' })
  const server = await admin.anonymous.discovery.getServer({})
  expect(server.login?.directRegistrationEnabled).toBe(false)
  expect(server.directRegistrationEnabled).toBe(false)
})

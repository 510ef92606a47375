import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { MyAccountService, TimeFormat } from '@parley/contracts/api'
import { codeOf, makeUser, useEnv } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents

beforeAll(async () => {
  await env.start()
  events = env.use(await recordUserEvents(env))
})

const { TIME_FORMAT_AUTO: AUTO, TIME_FORMAT_24_HOUR: H24, TIME_FORMAT_UNSPECIFIED: UNSPECIFIED } = TimeFormat
const account = (userId: string) => env.as(MyAccountService, { userId })
const settingsOf = async (userId: string) => (await env.viewerOf(userId).getViewer({})).user?.settings

test('UpdateSettings changes only the given fields; an empty value clears its field', async () => {
  const userId = await makeUser(env, 'anna')
  const update = async (request: { timezone?: string; timeFormat?: TimeFormat }) => {
    const { settings } = await account(userId).updateSettings(request)
    expect(await settingsOf(userId)).toEqual(settings)
    return { timezone: settings?.timezone, timeFormat: settings?.timeFormat }
  }
  expect(await update({})).toEqual({ timezone: undefined, timeFormat: AUTO })
  expect(await update({ timezone: 'Europe/Paris' })).toEqual({ timezone: 'Europe/Paris', timeFormat: AUTO })
  expect(await update({ timeFormat: H24 })).toEqual({ timezone: 'Europe/Paris', timeFormat: H24 })
  expect(await update({ timezone: '' })).toEqual({ timezone: undefined, timeFormat: H24 })
  expect(await update({ timeFormat: UNSPECIFIED })).toEqual({ timezone: undefined, timeFormat: AUTO })
})

test('changed settings are announced once, and only to their user', async () => {
  const userId = await makeUser(env, 'bert')
  await account(userId).updateSettings({ timezone: 'Europe/Paris', timeFormat: H24 })
  await account(userId).updateSettings({ timezone: 'Europe/Paris', timeFormat: H24 })
  await account(userId).updateSettings({ timeFormat: AUTO })
  await account(userId).updateSettings({ timezone: '' })
  expect(await events.waitFor(userId, 'user_timezone_cleared')).toEqual([
    'user_created',
    ...['user_server_preferences_changed', 'user_timezone_changed', 'user_time_format_changed'],
    ...['user_server_preferences_changed', 'user_time_format_cleared'],
    ...['user_server_preferences_changed', 'user_timezone_cleared'],
  ])
  const published = events.of(userId).flatMap((event) => deliveriesOf(event))
  expect(published.map(({ to }) => to)).toEqual([userId, userId, userId])
  expect(published.map(({ envelope }) => envelope.event)).toMatchObject([
    { case: 'serverUserPreferencesUpdated', value: { timezone: 'Europe/Paris', timeFormat: H24 } },
    { case: 'serverUserPreferencesUpdated', value: { timezone: 'Europe/Paris', timeFormat: AUTO } },
    { case: 'serverUserPreferencesUpdated', value: { timeFormat: AUTO } },
  ])
  expect(
    events
      .of(userId)
      .map(({ fact }) => JSON.stringify(fact.value))
      .join(),
  ).not.toContain('Paris')
})

test('unknown time zones and formats are refused', async () => {
  const userId = await makeUser(env, 'carl')
  for (const timezone of ['Mars/Olympus', '+02:00', 'Europe/Paris\0', 'x'.repeat(500)])
    expect(await codeOf(account(userId).updateSettings({ timezone, timeFormat: H24 }))).toBe(Code.InvalidArgument)
  const timeFormat = Object.keys(TimeFormat).length
  expect(await codeOf(account(userId).updateSettings({ timezone: 'UTC', timeFormat }))).toBe(Code.InvalidArgument)
  expect(await settingsOf(userId)).toMatchObject({ timeFormat: AUTO })
  expect((await settingsOf(userId))?.timezone).toBeUndefined()
})

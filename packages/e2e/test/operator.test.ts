import { expect, test } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, operate, signIn } from '../src/people.ts'
import { lobbyId, roomName } from '../src/rooms.ts'

test('a granted role takes effect in existing sessions, at both gateways', async () => {
  const ada = await newPerson('ada')
  const groupId = await lobbyId(ada)
  const attempt = (base: string) => ada.attempt(RoomService.method.createRoom, { name: roomName(), groupId }, { base })
  for (const base of fleet().gateways) expect((await attempt(base)).status).toBe(403)
  expect(await operate(['user', 'grant-role', '--login', ada.login, '--role', 'admin'])).toEqual({
    userId: ada.userId,
    login: ada.login,
    roleNames: ['admin'],
  })
  for (const base of fleet().gateways) {
    await eventually(async () => expect((await attempt(base)).status).toBe(200))
  }
})

test('a user can sign in with a verified e-mail address in any letter case', async () => {
  const ada = await newPerson('ada')
  const email = `${ada.login}@example.org`
  await expect(signIn({ login: email, password: ada.password })).rejects.toThrow('401')
  await operate(['user', 'verify-email', '--login', ada.login, '--email', email])
  const answer = await postJson(`${fleet().gateways[1]}/auth/login`, {
    identifier: email.toUpperCase(),
    password: ada.password,
  })
  expect(answer).toMatchObject({ status: 200, body: { user: { id: ada.userId } } })
})

test('invalid requests are refused with a reason', async () => {
  const ada = await newPerson('ada')
  const create = (login: string, password = 'long enough', ...more: string[]) =>
    operate(['user', 'create', '--login', login, '--password-stdin', ...more], password)
  await expect(create(ada.login.toUpperCase())).rejects.toThrow('already_exists')
  await expect(create('moderator')).rejects.toThrow(/invalid_argument|already_exists/)
  await expect(create('two words')).rejects.toThrow('invalid_argument')
  await expect(create(`short-${ada.login}`.slice(0, 32), 'short')).rejects.toThrow('invalid_argument')
  await expect(create(`role-${ada.login}`, 'long enough', '--role', 'no-such-role')).rejects.toThrow('not_found')
  await expect(operate(['user', 'grant-role', '--login', 'nobody-at-all', '--role', 'admin'])).rejects.toThrow(
    'not_found',
  )
})
